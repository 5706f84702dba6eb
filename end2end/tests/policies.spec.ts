// A kind's rule is set in a form that speaks of what it means; what does not fit is named and nothing typed is lost.

import { sentMail } from './actions.ts';
import { expect, test } from './fixtures.ts';

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
