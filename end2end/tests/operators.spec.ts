// People are added, changed and shut out in the browser, with and without a script.

import { expect, password, test } from './fixtures.ts';
import { looks } from './looks.ts';

test.use({ as: 'admin' });

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('somebody is added and signs in, and what was typed is kept where it does not fit', async ({ page, browser, server }) => {
      await page.goto('/');
      await page.locator('.side-body').getByRole('link', { name: 'Operators' }).click();
      const form = page.locator('#add');
      await form.getByLabel('Name').fill('olga');
      await form.getByLabel('Role').selectOption('viewer');
      await form.getByLabel('Password').fill(password);
      await form.getByRole('button', { name: 'Add' }).click();
      await expect(form.locator('.error')).toContainText('taken');
      await expect(form.getByLabel('Name')).toHaveValue('olga');
      await expect(form.getByLabel('Role')).toHaveValue('viewer');
      expect(page.url()).not.toContain('password');

      await form.getByLabel('Name').fill('nina');
      await form.getByLabel('Password').fill(password);
      await form.getByRole('button', { name: 'Add' }).click();
      await expect(page.locator('.notice').first()).toContainText('nina may sign in as viewer.');

      const context = await browser.newContext({ baseURL: server.url, storageState: { cookies: [], origins: [] } });
      const other = await context.newPage();
      await other.goto('/login');
      await other.getByLabel('Name').fill('nina');
      await other.getByLabel('Password').fill(password);
      await other.getByRole('button', { name: 'Sign in' }).click();
      await expect(other).toHaveURL(`${server.url}/`);

      const row = page.locator('tbody').filter({ hasText: 'nina' });
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Disable' }).click();
      await expect(page.locator('.notice').first()).toContainText('nina is disabled.');
      await other.goto('/');
      await expect(other).toHaveURL(/\/login/);
      await context.close();
    });

    test('a role and a password are changed, and the last admin stays', async ({ page }) => {
      await page.goto('/operators');
      const row = (name: string) => page.locator('tbody').filter({ has: page.locator('th', { hasText: name }) });
      await row('olga').locator('summary').click();
      await row('olga').getByLabel('Role').selectOption('admin');
      await row('olga').getByRole('button', { name: 'Set role' }).click();
      await expect(page.locator('.notice').first()).toContainText('olga is admin now.');
      await row('olga').locator('summary').click();
      await row('olga').getByLabel('New password').fill('another long one');
      await row('olga').getByRole('button', { name: 'Set password' }).click();
      await expect(page.locator('.notice').first()).toContainText('olga has a new password.');
      await row('olga').locator('summary').click();
      await row('olga').getByRole('button', { name: 'Disable' }).click();
      await row('amir').locator('summary').click();
      await expect(row('amir').getByRole('button', { name: 'Disable' })).toHaveCount(0);
      await expect(row('amir')).toContainText('The last admin who may sign in');
    });
  });
}

test.describe('as an operator', () => {
  test.use({ as: 'operator', allowedErrors: /403/ });

  test('there is neither a way to the page nor anything on it', async ({ page }) => {
    await page.goto('/');
    await expect(page.locator('.side-body').getByRole('link', { name: 'Operators' })).toHaveCount(0);
    for (const path of ['/operators', '/tokens']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { name: 'This is not for you to see' })).toBeVisible();
    }
  });
});

looks('operators', 'admin', async (_, api) => {
  await api.admin.ask('PATCH', '/operators/omar', { disabled: true });
  return { operators: '/operators', 'operators-wrong': '/operators?problem=password&name=nina&role=viewer' };
});
