// Claims of a kind, or of everything, are stopped and let go on in the browser, with and without a script.

import { heldMail, sentMail } from './actions.ts';
import { expect, test } from './fixtures.ts';

const claim = { run_id: 'later-1', step: 1, kind: 'send_email', target: 'ada@example.com', payload_text: 'Hello' };

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a kind is paused and resumed, and its page says by whom and why', async ({ page, api }) => {
      await sentMail(api.worker, 'welcome-1');
      await page.goto('/policies/send_email');
      await page.locator('#pause summary').click();
      await page.locator('#pause-reason').fill('The mail server is being moved.');
      await page.getByRole('button', { name: 'Pause this kind' }).click();
      await expect(page.locator('.notice').first()).toContainText('Paused: send_email.');
      await expect(page.locator('#pause')).toContainText('Paused by olga');
      await expect(page.locator('#pause')).toContainText('The mail server is being moved.');
      expect((await api.worker.ask('POST', '/actions/claim', claim)).body.outcome).toBe('paused');

      await page.locator('#pause-reason').fill('It has moved.');
      await page.getByRole('button', { name: 'Resume this kind' }).click();
      await expect(page.locator('.notice').first()).toContainText('Resumed: send_email.');
      expect((await api.worker.ask('POST', '/actions/claim', claim)).status).toBe(201);
    });

    test('everything is paused, and every page says so until it is resumed', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto('/policies');
      await page.locator('#pause summary').click();
      await page.locator('#pause-reason').fill('A backup was restored.');
      await page.getByRole('button', { name: 'Pause everything' }).click();
      await expect(page.locator('.notice').first()).toContainText('Paused: everything.');
      for (const path of ['/review', '/actions', `/actions/${held.key}`]) {
        await page.goto(path);
        await expect(page.locator('.side-body').getByRole('link', { name: 'Everything is paused' })).toBeVisible();
      }
      await page.goto('/');
      await expect(page.locator('main .notice')).toContainText('No claim is granted');
      expect((await api.worker.ask('POST', '/actions/claim', claim)).body.outcome).toBe('paused');
      // A decision goes on: what it releases waits for the end of the pause.
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill('Not in the outbox.');
      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.notice').first()).toContainText('Recorded');

      await page.goto('/policies');
      await page.locator('#pause-reason').fill('Reconciled.');
      await page.getByRole('button', { name: 'Resume everything' }).click();
      await expect(page.locator('.side-body').getByRole('link', { name: 'Everything is paused' })).toHaveCount(0);
      expect((await api.worker.ask('POST', '/actions/claim', held.intent)).status).toBe(201);
    });
  });
}

test.describe('as a viewer', () => {
  test.use({ as: 'viewer' });

  test('nothing can be paused, neither on the page nor by the form behind it', async ({ page, api }) => {
    await page.goto('/policies');
    await expect(page.getByRole('button', { name: 'Pause everything' })).toHaveCount(0);
    await page.request.post('/_fn/pause', {
      form: { paused: 'true', reason: 'sneaky' },
      headers: { accept: 'text/html', origin: new URL(page.url()).origin },
      maxRedirects: 0,
    });
    expect((await api.worker.ask('POST', '/actions/claim', claim)).status).toBe(201);
  });
});
