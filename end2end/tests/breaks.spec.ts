// The stream of changes breaks, a tab sleeps, a session ends, a script does not come: the page says what it is, and
// deciding goes on.

import type { Page } from '@playwright/test';
import { type Held, heldMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';
import { Line } from './cut.ts';

const live = async (page: Page): Promise<void> => await expect(page.locator('.live-words')).toHaveText('Live');
const row = (page: Page, key: string) => page.locator(`.row[data-key="${key}"]`);
const noDate = /^Not live since \d\d:\d\d:\d\d\. Trying again\.$/;

const fail = async (operator: Api, held: Held): Promise<void> => {
  await operator.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: held.version });
};

/** A page whose clock can be put forward. */
const withLater = async (page: Page): Promise<(ms: number) => Promise<void>> => {
  await page.addInitScript(() => {
    const now = Date.now.bind(Date);
    let later = 0;
    Date.now = () => now() + later;
    Object.assign(window, { later: (ms: number) => (later += ms) });
  });
  return async (ms) => await page.evaluate((ms) => (window as unknown as { later: (ms: number) => void }).later(ms), ms);
};

/** Puts a tab to sleep: nothing runs in it until it is woken. A page that is looked at cannot be frozen otherwise. */
const sleeping = async (page: Page): Promise<() => Promise<void>> => {
  const browser = await page.context().newCDPSession(page);
  await browser.send('Debugger.enable');
  const paused = new Promise((resolve) => browser.once('Debugger.paused', resolve));
  await browser.send('Debugger.pause');
  // It stops at whatever runs next.
  const next = page.evaluate(() => undefined);
  await paused;
  return async () => {
    await browser.send('Debugger.resume');
    await browser.send('Debugger.disable');
    await next;
    await page.evaluate(() => document.dispatchEvent(new Event('resume')));
  };
};

test.describe('over a line that breaks', () => {
  // What the browser itself says of a line that is cut.
  test.use({ settings: { HOLDPOINT_ALLOWED_HOSTS: '127.0.0.1' }, allowedErrors: /net::ERR_|Failed to (load resource|fetch)/ });

  test('a stream that broke says since when, and tells what it missed once it is back', async ({ page, server, api }) => {
    const line = await Line.to(server.url);
    const held = [await heldMail(api.worker, api.read), await heldMail(api.worker, api.read), await heldMail(api.worker, api.read)];
    await page.goto(`http://127.0.0.1:${line.port}/review`);
    await live(page);
    line.cut();
    await expect(page.locator('.live-words')).toHaveText(noDate);
    await expect(page.locator('.live')).toHaveClass(/is-hold/);
    for (const one of held.slice(1)) await fail(api.operator, one);
    await heldMail(api.worker, api.read);
    line.mend();
    await live(page);
    for (const one of held.slice(1)) await expect(row(page, one.key)).toContainText('Changed: now failed, by olga');
    await expect(row(page, held[0]!.key)).not.toContainText('Changed');
    await expect(page.locator('.live-news')).toContainText('1 new waits, 2 here changed.');
    await line.close();
  });

  test('case D12: a tab that slept says how old it is, and decides nothing on what it saw', async ({ page, server, api }) => {
    const line = await Line.to(server.url);
    const held = await heldMail(api.worker, api.read);
    const later = await withLater(page);
    await page.goto(`http://127.0.0.1:${line.port}/actions/${held.key}`);
    await live(page);
    await page.locator('textarea[name="reason"]').fill('Not in the outbox.');
    await later(10 * 60_000);
    const wake = await sleeping(page);
    line.cut();
    await fail(api.operator, held);
    await wake();
    await expect(page.locator('.live-words')).toHaveText(/^Not live since .*, as of 10 min ago\. Trying again\.$/);
    line.mend();
    await page.locator('button[name="decision"][value="retry"]').click();
    await expect(page.locator('main .notice')).toContainText('olga');
    await expect(page.locator('textarea[name="reason"]')).toHaveValue('Not in the outbox.');
    const { status, history } = await api.read.get(`/actions/${held.key}`);
    expect(status).toBe('failed');
    expect(history.filter((event: { event: string }) => event.event === 'decided')).toHaveLength(1);
    await line.close();
  });
});

test('case D12: a tab that slept learns what moved by itself', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  const later = await withLater(page);
  await page.goto(`/actions/${held.key}`);
  await live(page);
  await later(10 * 60_000);
  const wake = await sleeping(page);
  await fail(api.operator, held);
  await wake();
  await expect(page.locator('.live-news')).toContainText('This action moved: now failed, by olga.');
  await live(page);
});

test('a tab that sleeps gives the stream to another one', async ({ page, context, api }) => {
  test.setTimeout(90_000);
  const [first, second] = [await heldMail(api.worker, api.read), await heldMail(api.worker, api.read)];
  await page.goto('/review');
  await live(page);
  const other = await context.newPage();
  const later = await withLater(other);
  await other.goto('/review');
  await live(other);
  const wake = await sleeping(page);
  await fail(api.operator, first);
  await later(60_000);
  await expect(row(other, first.key)).toContainText('Changed: now failed, by olga', { timeout: 20_000 });
  await live(other);
  // The one that slept is told by the other, and takes nothing back.
  await wake();
  await expect(row(page, first.key)).toContainText('Changed: now failed, by olga');
  await fail(api.operator, second);
  for (const tab of [page, other]) await expect(row(tab, second.key)).toContainText('Changed: now failed, by olga');
});

test('case D49: after a sign-out in one tab the others say so and show nothing more', async ({ page, context, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await live(page);
  await expect(page.locator('main')).toContainText('Dear Lin');
  await page.locator('textarea[name="reason"]').fill('I was about to say.');
  const other = await context.newPage();
  await other.goto('/account');
  await live(other);
  await other.locator('.side-body .user > summary').click();
  await other.locator('.side-body form[action="/logout"] button').click();
  await expect(other).toHaveURL(/\/login/);
  await heldMail(api.worker, api.read);
  await expect(page.locator('.live-words')).toHaveText('You are signed out. What stood here is taken away.');
  await expect(page.locator('main')).not.toContainText('Dear Lin');
  await expect(page.locator('main')).toHaveText('What you typed: I was about to say.');
  await expect(page).toHaveTitle('Signed out · Holdpoint');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await expect(page).toHaveURL(new RegExp(`/login\\?next=.*${held.key}`));
});

test.describe('where the script does not come', () => {
  test.use({ allowedErrors: /wasm|__wbg_init/ });

  for (const what of ['never', 'late'] as const) {
    test(`case D60: a decision is one decision when the script comes ${what}`, async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      let arrive = (): void => {};
      const pressed = new Promise<void>((resolve) => (arrive = resolve));
      await page.route(/\.wasm/, async (route) => {
        if (what === 'never') return await route.abort();
        await pressed;
        await route.continue().catch(() => undefined);
      });
      await page.goto(`/actions/${held.key}`, { waitUntil: 'commit' });
      await page.locator('textarea[name="reason"]').fill('Lin has paid.');
      await expect(page.locator('.live')).toHaveText(/^As of .* UTC/);
      await page.locator('button[name="decision"][value="fail"]').click({ noWaitAfter: true });
      arrive();
      await expect(page.locator('main .notice')).toBeVisible();
      const { status, history } = await api.read.get(`/actions/${held.key}`);
      expect(status).toBe('failed');
      expect(history.filter((event: { event: string }) => event.event === 'decided')).toHaveLength(1);
    });
  }
});

test.describe('without locks', () => {
  test('each tab has a stream of its own', async ({ page, context, api }) => {
    await context.addInitScript(() => Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }));
    const held = await heldMail(api.worker, api.read);
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await tab.goto('/review');
      await live(tab);
    }
    await fail(api.operator, held);
    for (const tab of [page, other]) await expect(row(tab, held.key)).toContainText('Changed: now failed');
  });
});
