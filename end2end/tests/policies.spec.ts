// A kind's rule is set in a form that speaks of what it means; what does not fit is named and nothing typed is lost.

import { heldMail, sentMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

test.use({ as: 'admin' });

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a kind gets a rule of its own, and its page tells it in a sentence', async ({ page, api }) => {
      await sentMail(api.worker, 'welcome-1');
      await page.goto('/policies');
      await expect(page.locator('.notice').first()).toContainText('no rule of its own');
      await page.getByRole('link', { name: 'Set its rule' }).click();
      await page.getByText('Run it again: the provider absorbs duplicates').click();
      await page.locator('#provider_window_s').fill('43200');
      await page.locator('#stale_after_s').fill('120');
      await page.locator('#hold_deadline_s').fill('259200');
      await page.locator('#payload_retention_s').fill('');
      await page.locator('#p-reason').fill('The provider takes our key for 12 hours.');
      await page.getByRole('button', { name: 'Save as version 1' }).click();

      await expect(page.locator('.notice').first()).toContainText('Saved as version 1.');
      await expect(page.locator('.rule')).toContainText('2 min');
      const policy = await api.read.get('/policies/send_email');
      expect([policy.recovery, policy.provider_window_s, policy.stale_after_s, policy.hold_deadline_s, policy.payload_retention_s]).toEqual([
        'idempotent', 43200, 120, 259200, null,
      ]);
      await expect(page.getByText('The provider takes our key for 12 hours.')).toBeVisible();
    });

    test('a stale form saves nothing and keeps what was typed', async ({ page, api }) => {
      await page.goto('/policies/send_email');
      await page.locator('#stale_after_s').fill('77');
      await page.locator('#p-reason').fill('I was first & sure: 100 %.');
      await api.admin.put('/policies/send_email', { max_attempts: 7, reason: 'quicker' });
      await page.getByRole('button', { name: /^Save/ }).click();
      await expect(page.locator('.notice').first()).toContainText('the policy changed while you were editing it');
      await expect(page.locator('#stale_after_s')).toHaveValue('77');
      await expect(page.locator('#p-reason')).toHaveValue('I was first & sure: 100 %.');
      expect((await api.read.get('/policies/send_email')).stale_after_s).toBe(900);
    });

    test('what a change would do is told before it is saved, and nothing typed is lost', async ({ page, api }) => {
      const { key } = await stops(api);
      await sentMail(api.worker, 'welcome-1');
      await page.goto('/policies/send_email');
      await page.getByText('Run it again: the provider absorbs duplicates').click();
      await page.locator('#hold_deadline_s').fill('259200');
      await page.locator('#result_retention_s').fill('0');
      await page.locator('#mask').fill('/card\n*_pin');
      await page.getByLabel('A person agrees before the first attempt').check();
      await page.getByRole('button', { name: 'See what it would do' }).click();

      const told = page.getByRole('region', { name: 'What it would do' });
      await expect(told).toContainText('Of 2 holds in the last 30 days 2 would have been run again.');
      await expect(told).toContainText('2 held now fail by the policy if nobody decides in time; they wait for ever so far.');
      await expect(told).toContainText('Careful: 1 result of what is over is erased by the next passes of the reaper; nothing brings that back.');
      await expect(told.getByRole('row', { name: /Outcome unknown/ })).toContainText('careful: nobody is asked');
      await expect(told.getByRole('link').first()).toHaveAttribute('href', new RegExp('/actions/[0-9a-f]{64}'));
      expect((await api.read.ask('GET', '/policies/send_email')).status).toBe(404);
      expect((await api.read.get(`/actions/${key}`)).status).toBe('held');

      await expect(page.locator('#hold_deadline_s')).toHaveValue('259200');
      await expect(page.locator('#mask')).toHaveValue('/card\n*_pin');
      await expect(page.getByLabel('A person agrees before the first attempt')).toBeChecked();
      // What is undone is told as undone: an empty field and an empty box are no less than full ones.
      await page.locator('#mask').fill('');
      await page.locator('#result_retention_s').fill('');
      await page.getByLabel('A person agrees before the first attempt').uncheck();
      await page.locator('#p-reason').fill('Asked the provider: it knows our key.');
      await page.getByRole('button', { name: 'See what it would do' }).click();
      await expect(page.locator('#p-reason')).toHaveValue('Asked the provider: it knows our key.');
      await page.getByRole('button', { name: 'Save as version 1' }).click();
      await expect(page.locator('.notice').first()).toContainText('Saved as version 1.');
      const policy = await api.read.get('/policies/send_email');
      expect([policy.recovery, policy.hold_deadline_s, policy.mask, policy.approve_first]).toEqual(['idempotent', 259200, [], false]);
      await expect(page.getByRole('table', { name: 'What version 1 changed' }).getByRole('row', { name: 'recovery' })).toContainText(
        'unverifiableidempotent',
      );
    });

    test('a look at a change says that another version stands by now', async ({ page, api }) => {
      await page.goto('/policies/send_email');
      await page.locator('#stale_after_s').fill('77');
      await api.admin.put('/policies/send_email', { max_attempts: 7, reason: 'quicker' });
      await page.getByRole('button', { name: 'See what it would do' }).click();
      await expect(page.locator('.notice').first()).toContainText('The policy changed while you were editing it.');
      await expect(page.locator('#stale_after_s')).toHaveValue('77');
      await page.locator('#stale_after_s').evaluate((input: HTMLInputElement) => (input.value = '0'));
      await page.getByRole('button', { name: 'See what it would do' }).click();
      await expect(page.locator('.notice').first()).toContainText('Nothing to look at yet');
      await expect(page.locator('#stale_after_s-e')).toContainText('A whole number from 1');
    });

    test('an address that the server does not ask is refused, and said so', async ({ page, api }) => {
      await page.goto('/policies/create_invoice');
      await page.getByText('Ask the provider first').click();
      await page.locator('#verify_url').fill('http://169.254.169.254/latest');
      await page.locator('#p-reason').fill('It can be asked.');
      await page.getByRole('button', { name: /^Save/ }).click();
      await expect(page.locator('.notice').first()).toContainText('does not ask that address');
      await expect(page.locator('#verify_url')).toHaveValue('http://169.254.169.254/latest');
      expect((await api.read.ask('GET', '/policies/create_invoice')).status).toBe(404);
    });
  });
}

/** Two holds, one claim in flight. */
async function stops(api: Record<'worker' | 'read', Api>): Promise<{ key: string }> {
  const held = await heldMail(api.worker, api.read);
  await heldMail(api.worker, api.read);
  await api.worker.post('/actions/claim', { run_id: 'welcome-9', step: 1, kind: 'send_email', target: 'ada@example.com', payload_text: 'Hello' });
  return held;
}

test('who only looks sees the rule and no way to try another', async ({ pageAs, api }) => {
  await api.admin.put('/policies/send_email', { lazy_completion: true, recovery: 'idempotent', reason: 'quicker' });
  const page = await pageAs('viewer');
  await page.goto('/policies/send_email');
  await expect(page.getByLabel('A worker may be told')).toBeChecked();
  await expect(page.getByLabel('A worker may be told')).toBeDisabled();
  await expect(page.getByRole('button', { name: 'See what it would do' })).toHaveCount(0);
});

looks('policy-preview', 'admin', async (_, api) => {
  await stops(api);
  const put = async (body: object, tag?: number) =>
    await api.admin.put('/policies/send_email', body, tag === undefined ? {} : { 'if-match': `"${tag}"` });
  await put({ stale_after_s: 600, reason: 'measured it' });
  await put({ stale_after_s: 600, verify_url: null, mask: ['/card/number', '*_pin'], hold_deadline_s: 86400, reason: 'what customers write is not for everybody' }, 1);
  const form = 'stale_after_s=600&max_attempts=5&backoff_s=5&backoff_max_s=3600&provider_window_s=86400&verify_after_s=60'
    + '&verify_confirmations=2&verify_max_tries=10&verify_patience_s=900&claim_within_s=86400&on_drift=hold&version=2';
  return {
    'policy-preview-fail': `/policies/send_email?preview=1&recovery=unverifiable&on_unknown=fail&approvals_needed=2&approve_first=true&${form}`,
    'policy-preview-again': `/policies/send_email?preview=1&recovery=idempotent&on_unknown=hold&approvals_needed=1&hold_deadline_s=60&${form}`,
    'policy-preview-wrong': `/policies/send_email?preview=1&recovery=idempotent&on_unknown=hold&approvals_needed=9&${form}`,
    'policy-versions': '/policies/send_email',
  };
});

test('a value out of range is named by its field without a script as well', async ({ page, api }) => {
  await page.goto('/policies/send_email');
  await page.locator('.policy-form').evaluate((form: HTMLFormElement) => (form.noValidate = true));
  await page.locator('#stale_after_s').fill('0');
  await page.locator('#p-reason').fill('Faster than light.');
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(page.locator('#stale_after_s-e')).toContainText('A whole number from 1 to 604800 (7 days).');
  await expect(page.locator('#stale_after_s')).toHaveAttribute('aria-invalid', 'true');
  expect((await api.read.ask('GET', '/policies/send_email')).status).toBe(404);
});
