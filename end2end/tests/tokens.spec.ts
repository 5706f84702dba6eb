// A token is made, shown once, used and revoked in the browser, with and without a script.

import { Api, expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

test.use({ as: 'admin' });

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a token is made, shown this once, and revoked', async ({ page, server }) => {
      await page.goto('/');
      await page.locator('.side-body').getByRole('link', { name: 'Tokens' }).click();
      const form = page.locator('#make');
      await form.getByLabel('Name').fill('grafana');
      await form.getByLabel('What it may do').selectOption('read');
      await form.getByLabel('Only these kinds').fill('send_email');
      await form.getByRole('button', { name: 'Make it' }).click();
      await expect(form.locator('.error')).toContainText('Kinds go with workers’ tokens');
      await expect(form.getByLabel('Name')).toHaveValue('grafana');
      await expect(form.getByLabel('What it may do')).toHaveValue('read');

      await form.getByLabel('Only these kinds').fill('');
      await form.getByRole('button', { name: 'Make it' }).click();
      const secret = await page.locator('.token-made input').inputValue();
      expect(secret).toMatch(/^hp_/);
      expect(page.url()).toBe(`${server.url}/tokens`);
      expect((await new Api(server.url, secret).ask('GET', '/actions')).status).toBe(200);

      await page.getByRole('link', { name: 'I have taken it' }).click();
      await expect(page.locator('table')).toContainText('grafana');
      expect(await page.content()).not.toContain(secret);

      const row = page.locator('tbody').filter({ hasText: 'grafana' });
      await row.locator('summary').click();
      await row.getByLabel('Why?').fill('It is not needed any more.');
      await row.getByRole('button', { name: 'Revoke for good' }).click();
      await expect(page.locator('.notice').first()).toContainText('The token grafana is revoked.');
      await expect(row).toContainText('Revoked');
      expect((await new Api(server.url, secret).ask('GET', '/actions')).status).toBe(401);
    });
  });
}

test('the page that shows a token is accessible and copies it', async ({ page, accessible, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/tokens');
  await page.locator('#make').getByLabel('Name').fill('mailer');
  await page.locator('#make').getByRole('button', { name: 'Make it' }).click();
  await accessible(page);
  const secret = await page.locator('.token-made input').inputValue();
  await page.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(secret);
});

looks('tokens', 'admin', async (page, api) => {
  await api.admin.post('/tokens', { name: 'mailer-2', scope: 'worker', kinds: ['send_email', 'create_invoice'], expires_in_s: 7776000 });
  await api.admin.post('/tokens', { name: 'on-call', scope: 'operator', operator: 'omar' });
  await api.admin.ask('DELETE', '/tokens/mailer-2', { reason: 'lost' });
  await api.admin.ask('PATCH', '/operators/omar', { disabled: true });
  await page.goto('/tokens');
  return { tokens: '/tokens', 'tokens-wrong': '/tokens?problem=operator&name=on-call-2&scope=admin' };
});
