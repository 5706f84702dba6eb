// One's own account: the password, the sessions, and what the door says of tries that failed.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, password, people, test } from './fixtures.ts';

/** A browser in which nobody is signed in: without saying so, a new one has the test's own person. */
const nobody = { cookies: [], origins: [] };

const shots = join(import.meta.dirname, '../test-results/account');

async function look(page: Page, name: string): Promise<void> {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
}

async function signIn(page: Page, name: string, secret: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function change(page: Page, present: string, next: string, again = next): Promise<void> {
  await page.getByLabel('Present password').fill(present);
  await page.getByLabel('New password').fill(next);
  await page.getByLabel('The same again').fill(again);
  await page.getByRole('button', { name: 'Change the password' }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a person changes their password, and every other session ends', async ({ page, pageAs }) => {
      const elsewhere = await pageAs('operator');
      await elsewhere.goto('/account');
      await expect(elsewhere.getByRole('heading', { level: 1 })).toHaveText('Your account');
      await page.goto('/account');
      await change(page, 'not the present one', 'a new one for the tests');
      await expect(page.getByRole('alert')).toContainText('was not changed');
      await expect(page.locator('#present-e')).toHaveText('That is not your present password.');
      await change(page, password, 'a new one for the tests', 'another one for the tests');
      await expect(page.locator('#again-e')).toHaveText('The two are not the same.');
      await change(page, password, `${people.operator.name}2026!`);
      await expect(page.locator('#password-e')).toContainText('little more than your name');
      await change(page, password, 'a new one for the tests');
      await expect(page.locator('.notice')).toContainText('Your password is changed.');
      await expect(page.locator('.session')).toHaveCount(1);
      await elsewhere.goto('/review');
      await expect(elsewhere).toHaveURL(/\/login\?next=/);
      await signIn(elsewhere, people.operator.name, password);
      await expect(elsewhere.getByRole('alert')).toContainText('That did not fit.');
      await expect(elsewhere.getByLabel('Name')).toHaveValue(people.operator.name);
      await signIn(elsewhere, people.operator.name, 'a new one for the tests');
      await expect(elsewhere).toHaveURL(/\/review$/);
    });

    test('a person sees where they are signed in, ends one, and then all others', async ({ page, browser, baseURL }) => {
      for (const userAgent of ['Mozilla/5.0 (Android 14; Mobile; rv:128.0) Firefox/128.0', 'curl/8.5.0']) {
        const context = await browser.newContext({ baseURL, storageState: nobody, userAgent, javaScriptEnabled: false });
        const there = await context.newPage();
        await there.goto('/login');
        await signIn(there, people.operator.name, password);
        await expect(there).not.toHaveURL(/login/);
        await context.close();
      }
      await page.goto('/review');
      await page.locator('.user summary').last().click();
      await page.getByRole('link', { name: 'Your account' }).last().click();
      const sessions = page.locator('.session');
      await expect(sessions).toHaveCount(3);
      await expect(sessions.filter({ hasText: 'This one' })).toHaveCount(1);
      await sessions.filter({ hasText: 'Firefox on Android' }).getByRole('button').click();
      await expect(page.locator('.notice')).toContainText('That session has ended.');
      await expect(sessions).toHaveCount(2);
      await page.getByRole('button', { name: 'End all others' }).click();
      await expect(page.locator('.notice')).toContainText('All of your other sessions have ended.');
      await expect(sessions).toHaveCount(1);
      await page.reload();
      await expect(page.locator('.notice')).toHaveCount(0);
    });
  });
}

test.describe('at the door', () => {
  test.use({ as: null, allowedErrors: /429/ });

  test('who fails too often is told how long to wait, and gets in after it', async ({ page, accessible }) => {
    await page.goto('/login?next=/policies');
    for (let n = 0; n < 5; n += 1) {
      await signIn(page, people.viewer.name, `guess number ${n}`);
      await expect(page.getByRole('alert')).toContainText('That did not fit.');
    }
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      signIn(page, people.viewer.name, password),
    ]);
    // A slow machine may have let the first wait, of a second, go by.
    if (answer.status() === 429) {
      expect(Number(answer.headers()['retry-after'])).toBeGreaterThan(0);
      await expect(page.getByRole('alert')).toContainText('Too many tries failed.');
      await look(page, 'login-wait');
      await accessible(page);
      await expect(async () => {
        await signIn(page, people.viewer.name, password);
        await expect(page).toHaveURL(/\/policies$/, { timeout: 1_000 });
      }).toPass({ timeout: 30_000 });
    }
    await expect(page).toHaveURL(/\/policies$/);
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1360]) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({ colorScheme, viewport: { width, height: 880 } });

      test('the account is laid out', async ({ page, browser, baseURL, accessible }) => {
        const context = await browser.newContext({ baseURL, storageState: nobody, javaScriptEnabled: false });
        const there = await context.newPage();
        await there.goto('/login');
        await signIn(there, people.operator.name, password);
        await context.close();
        await page.goto('/account');
        await look(page, `account-${colorScheme}-${width}`);
        await accessible(page);
        await change(page, 'not the present one', 'a new one for the tests');
        await expect(page.locator('#present-e')).toBeVisible();
        await look(page, `account-refused-${colorScheme}-${width}`);
        await accessible(page);
      });
    });
  }
}
