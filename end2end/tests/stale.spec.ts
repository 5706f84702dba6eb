// What the clock moves: bars of used time, what the reaper does then, and a pass on demand.

import { sentMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

// The reaper comes once an hour: what is past its time stays there to be looked at.
test.use({ settings: { HOLDPOINT_REAP_EVERY: '3600' } });

/** Claims of every sort that a clock moves; some of them are past their time after a second. */
async function underWay(api: Record<'worker' | 'admin', Api>): Promise<void> {
  const { worker, admin } = api;
  await admin.put('/policies/send_sms', { stale_after_s: 1, reason: 'a test cannot wait' });
  await admin.put('/policies/create_invoice', { recovery: 'verifiable', verify_after_s: 0, reason: 'can be asked' });
  await admin.put('/policies/charge_card', { recovery: 'idempotent', stale_after_s: 3600, reason: 'keys are kept' });
  const claim = async (kind: string, n: number, more: Record<string, unknown> = {}): Promise<string> => {
    const target = `customer-${n}@northwind.example`;
    const intent = { run_id: `nightly-${n}`, step: n, kind, target, payload_text: 'Hello', worker: `worker-${n % 3}` };
    const answer = await worker.post('/actions/claim', { ...intent, summary: `${kind.replace('_', ' ')} for customer ${n}`, ...more });
    return answer.key;
  };
  for (let n = 1; n <= 3; n += 1) await claim('send_sms', n);
  for (let n = 4; n <= 6; n += 1) await claim('send_email', n);
  for (let n = 7; n <= 8; n += 1) await claim('charge_card', n);
  for (let n = 9; n <= 10; n += 1) {
    const key = await claim('create_invoice', n);
    await worker.post(`/actions/${key}/fail`, { attempt: 1, error: 'no answer' });
  }
  const out = await worker.post('/verifications/next', { kinds: ['create_invoice'], worker: 'asker', wait_s: 0 });
  await worker.post(`/actions/${out.key}/verdict`, { attempt: out.attempt, try: out.try, verdict: 'not_landed' });
  for (let n = 11; n <= 12; n += 1) {
    const key = await claim('charge_card', n);
    await worker.post(`/actions/${key}/fail`, { attempt: 1, error: 'busy', effect: 'none' });
  }
  await claim('send_email', 13, { summary: `x${'-long'.repeat(40)}`, target: `${'a'.repeat(200)}@example.com`, run_id: 'r'.repeat(190) });
  await expect.poll(async () => (await admin.get('/stats')).stale.count, { timeout: 10_000 }).toBe(3);
}

test.describe('looks', () => {
  test.use({ allowedErrors: /422/ });

  looks('what the clock moves', 'admin', async (_, api) => {
    await underWay(api);
    return {
      stale: '/stale',
      'stale-in-flight': '/stale?status=in_flight',
      'stale-none': '/stale?status=verifying&kind=send_email',
      'stale-unreadable': '/stale?status=held',
    };
  });
});

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false, as: 'admin' });

  test('the reaper passes when it is told to, and says what it did', async ({ page, api }) => {
    await underWay(api);
    await page.goto('/stale');
    const sms = page.getByRole('row').filter({ hasText: 'send_sms' });
    await expect(sms).toHaveCount(3);
    await expect(sms.first()).toContainText('over');
    await expect(sms.first()).toContainText('A person is asked');
    await expect(page.getByText('3 past their time')).toBeVisible();
    await page.getByRole('button', { name: 'Run the reaper now' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'The reaper passed.' })).toContainText('It moved 3 actions: 3 put before a person.');
    await expect(sms).toHaveCount(0);
    await page.getByRole('link', { name: 'Released' }).click();
    expect(new URL(page.url()).search).toBe('?status=released');
    await expect(page.getByRole('row').filter({ hasText: 'charge_card' })).toHaveCount(2);
  });
});

test('who may not let it pass is told who may', async ({ page, api }) => {
  await sentMail(api.worker, 'welcome-1');
  await page.goto('/stale');
  await expect(page.getByRole('heading', { name: 'Nothing is under way' })).toBeVisible();
  await expect(page.getByText('An admin can let it pass at once.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run the reaper now' })).toHaveCount(0);
});
