// Every page there is, empty and full, light and dark, wide and narrow, with and without JavaScript: axe finds
// nothing, nothing is wider than the window, the console is quiet.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { heldMail, sentMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/pages');

async function look(page: Page, name: string): Promise<void> {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
}

async function fill(api: Record<'worker' | 'read' | 'admin', Api>): Promise<Record<string, string>> {
  const held = await heldMail(api.worker, api.read);
  for (let n = 0; n < 5; n += 1) await heldMail(api.worker, api.read);
  await sentMail(api.worker, 'welcome-1', 1);
  const key = await sentMail(api.worker, 'welcome-1', 2);
  await api.admin.put('/policies/create_invoice', { recovery: 'verifiable', hold_deadline_s: 259200, reason: 'can be asked' });
  await api.worker.post('/actions/claim', {
    run_id: 'billing-1', step: 1, kind: 'create_invoice', target: 'cus_42', payload: { customer: 'cus_42', amount: 380 },
  });
  return {
    overview: '/',
    review: '/review',
    'review-open': `/review?key=${held.key}`,
    log: '/actions',
    'log-held': '/actions?status=held&kind=send_email',
    action: `/actions/${held.key}`,
    'action-done': `/actions/${key}`,
    run: '/runs/welcome-1',
    policies: '/policies',
    policy: '/policies/create_invoice',
    'policy-new': '/policies/send_email',
    account: '/account',
  };
}

const empty = { overview: '/', review: '/review', log: '/actions', policies: '/policies', policy: '/policies/send_email' };

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1360]) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({ colorScheme, viewport: { width, height: 880 } });

      test('full pages', async ({ page, api, accessible }) => {
        test.setTimeout(240_000);
        for (const [name, path] of Object.entries(await fill(api))) {
          await page.goto(path);
          await look(page, `${name}-${colorScheme}-${width}`);
          await accessible(page);
        }
      });

      test('empty pages', async ({ page, accessible }) => {
        test.setTimeout(120_000);
        for (const [name, path] of Object.entries(empty)) {
          await page.goto(path);
          await look(page, `${name}-empty-${colorScheme}-${width}`);
          await accessible(page);
        }
      });

      test('signing in', async ({ browser, baseURL, accessible }) => {
        const nobody = { cookies: [], origins: [] };
        const context = await browser.newContext({ baseURL, storageState: nobody, colorScheme, viewport: { width, height: 880 } });
        const page = await context.newPage();
        await page.goto('/login');
        await look(page, `login-${colorScheme}-${width}`);
        await accessible(page);
        await page.getByLabel('Name').fill('nobody');
        await page.getByLabel('Password').fill('not a password');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await expect(page.getByRole('alert')).toContainText('That did not fit.');
        await look(page, `login-failed-${colorScheme}-${width}`);
        await accessible(page);
        await context.close();
      });
    });
  }
}

test.describe('while everything and a kind are paused', () => {
  for (const [colorScheme, width] of [['light', 1360], ['dark', 360]] as const) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({ colorScheme, viewport: { width, height: 880 } });

      test('the pages say so', async ({ page, api, accessible }) => {
        await heldMail(api.worker, api.read);
        await api.operator.post('/policies/send_email/pause', { reason: 'The mail server is being moved.' });
        await api.operator.post('/pause', { reason: 'A backup was restored.' });
        for (const [name, path] of Object.entries({ overview: '/', policies: '/policies', policy: '/policies/send_email' })) {
          await page.goto(path);
          await look(page, `${name}-paused-${colorScheme}-${width}`);
          await accessible(page);
        }
      });
    });
  }
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 1360, height: 880 } });

  test('every page says the same', async ({ page, api }) => {
    for (const [name, path] of Object.entries(await fill(api))) {
      const answer = await page.goto(path);
      expect(answer?.status(), name).toBe(200);
      await expect(page.getByRole('heading', { level: 1 }), name).toBeVisible();
      await expect(page.getByText('Loading'), name).toHaveCount(0);
      await look(page, `${name}-nojs`);
    }
  });

  test('the log is filtered and paged by links and forms alone', async ({ page, api }) => {
    for (let n = 0; n < 60; n += 1) await sentMail(api.worker, `bulk-${n}`);
    await heldMail(api.worker, api.read);
    await page.goto('/actions');
    const rows = page.locator('tbody tr');
    await expect(rows).toHaveCount(50);
    await page.getByRole('link', { name: /older/i }).first().click();
    await expect(rows).toHaveCount(11);
    await page.getByRole('link', { name: /newer/i }).first().click();
    await expect(rows).toHaveCount(50);
    await page.locator('select[name="status"]').selectOption('held');
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect(rows).toHaveCount(1);
    expect(new URL(page.url()).searchParams.get('status')).toBe('held');
  });
});

test.describe('what is not there', () => {
  test.use({ allowedErrors: /404/ });

  test('has a page of its own', async ({ page }) => {
    const answer = await page.goto('/nothing-here');
    expect(answer?.status()).toBe(404);
    await look(page, 'not-found');
    const gone = await page.goto(`/actions/${'0'.repeat(64)}`);
    expect(gone?.status()).toBe(404);
    await look(page, 'no-action');
  });
});
