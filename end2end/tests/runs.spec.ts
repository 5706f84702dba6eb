// A run of more steps than one page shows.

import { type Api, expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

async function longRun(api: Record<'worker', Api>): Promise<void> {
  for (let batch = 0; batch < 3; batch += 1) {
    const intents = Array.from({ length: 80 }, (_, n) => ({
      run_id: 'nightly-7', step: batch * 80 + n, kind: 'send_email', target: `reader-${n}@example.com`,
      payload_text: 'Hello', worker: 'mailer-1', summary: `Digest for reader ${n}`,
    }));
    const { answers } = await api.worker.post('/actions/claim-batch', { intents });
    if (batch > 0) continue;
    for (const [n, { key }] of answers.entries()) {
      if (n < 60) await api.worker.post(`/actions/${key}/succeed`, { attempt: 1, result: { n } });
      else if (n < 64) await api.worker.post(`/actions/${key}/fail`, { attempt: 1, error: 'no such mailbox', effect: 'none', permanent: true });
      else if (n < 70) await api.worker.post(`/actions/${key}/fail`, { attempt: 1, error: 'busy', effect: 'none' });
    }
  }
}

looks('a long run', 'viewer', async (_, api) => {
  await longRun(api);
  return { 'run-long': '/runs/nightly-7' };
});

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false });

  test('a run is paged both ways, and told as a whole on every page', async ({ page, api }) => {
    await longRun(api);
    await page.goto('/runs/nightly-7');
    const rows = page.locator('tbody tr');
    const resume = page.getByRole('region', { name: 'If this run is started again now' });
    for (const [count, first] of [[100, 'step 0'], [100, 'step 100'], [40, 'step 200']] as const) {
      await expect(rows).toHaveCount(count);
      await expect(rows.first()).toContainText(first);
      await expect(resume).toContainText('60');
      await expect(resume).toContainText('skipped');
      await expect(page.getByText('240 actions')).toBeVisible();
      if (count === 100) await page.getByRole('link', { name: 'Later steps' }).click();
    }
    await page.getByRole('link', { name: 'Earlier steps' }).click();
    await expect(rows.first()).toContainText('step 100');
  });
});
