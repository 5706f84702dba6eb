// What a script adds to pages that are whole without it: the reader's clock, keys, copying, and that a form is
// sent once.

import { heldMail, sentMail } from './actions.ts';
import { expect, test } from './fixtures.ts';

const relative = /^(just now|\d+ (s|min) ago)$/;

test.describe('times', () => {
  test.use({ timezoneId: 'America/Sao_Paulo' });

  test('are relative at sight, and in the reader’s zone and in UTC on hover', async ({ page, api }) => {
    const key = await sentMail(api.worker, 'welcome-1');
    await page.goto('/actions');
    const time = page.locator('tbody time').first();
    await expect(time).toHaveText(relative);
    await expect(time).toHaveAttribute('title', /\(America\/Sao_Paulo, UTC−3\) · .* UTC$/);

    await page.goto(`/actions/${key}`);
    const utc = await page.locator('.history time').first().getAttribute('datetime');
    const hour = new Date(utc ?? '').toLocaleTimeString('en-GB', { timeZone: 'America/Sao_Paulo' });
    await expect(page.locator('.history time').first()).toContainText(hour);
  });

  test('are told by the database’s clock where the reader’s own is hours off', async ({ page, api }) => {
    await sentMail(api.worker, 'welcome-1');
    await page.clock.setFixedTime(Date.now() + 5 * 3_600_000);
    await page.goto('/actions');
    await expect(page.locator('tbody time').first()).toHaveText(relative);
    await expect(page.locator('[data-reaper] time').filter({ visible: true })).toHaveText(/^(just now|\d+ s ago)$/);
  });

  test('case D22: every page says its zone at sight and on paper, and a time of another offset says it', async ({ page, api, browser, server }) => {
    const key = await sentMail(api.worker, 'welcome-1');
    for (const path of ['/', '/review', '/actions', `/actions/${key}`, '/stale', '/policies', '/audit', '/account']) {
      await page.goto(path);
      await expect(page.locator('.times'), path).toHaveText('Times in America/Sao_Paulo (UTC−3).');
    }
    await page.goto(`/actions/${key}`);
    await page.emulateMedia({ media: 'print' });
    await expect(page.locator('.times')).toBeVisible();

    // A clock that was changed half a year ago: what it showed then is not what it shows now.
    const context = await browser.newContext({ baseURL: server.url, timezoneId: 'Europe/Berlin', storageState: await page.context().storageState() });
    const other = await context.newPage();
    await other.goto(`/actions/${key}`);
    await expect(other.locator('.times')).toContainText('Europe/Berlin');
    const now = await other.locator('.times').textContent();
    const then = Date.now() - 183 * 86_400_000;
    await other.locator('.history time').first().evaluate((time, at) => time.setAttribute('data-at', String(at)), then);
    const before = now?.includes('UTC+1)') ? 'UTC+2' : 'UTC+1';
    await expect(other.locator('.history time').first()).toHaveText(new RegExp(`\\${before.slice(3)}$`), { timeout: 15_000 });
    await context.close();
  });

  test.describe('without JavaScript', () => {
    test.use({ javaScriptEnabled: false });

    test('are exact and in UTC', async ({ page, api }) => {
      await sentMail(api.worker, 'welcome-1');
      await page.goto('/actions');
      await expect(page.locator('tbody time').first()).toHaveText(/ UTC$/);
      await expect(page.locator('.times')).toHaveText('Times in UTC.');
    });
  });
});

test.describe('keys', () => {
  test('move through the queue and lead to the reason, then to the button', async ({ page, api }) => {
    for (let n = 0; n < 3; n += 1) await heldMail(api.worker, api.read);
    await page.goto('/review');
    await expect(page.locator('.keys')).toBeVisible();
    const titles = page.locator('.rows .row-title');
    await page.keyboard.press('j');
    await expect(titles.nth(1)).toBeFocused();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect(titles.nth(2)).toBeFocused();
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await expect(titles.nth(1)).toHaveAttribute('aria-current', 'true');
    await expect(page.locator('html')).toHaveAttribute('data-live', '');

    await page.keyboard.press('f');
    await expect(page.locator('#reason')).toBeFocused();
    await page.keyboard.type('jkrf?');
    await expect(page.locator('#reason')).toHaveValue('jkrf?');
    await page.locator('h1').click();
    await page.keyboard.press('f');
    await expect(page.locator('button[name="decision"][value="fail"]')).toBeFocused();
  });

  test('open the row that has the focus before anything is decided', async ({ page, api }) => {
    const first = await heldMail(api.worker, api.read);
    const second = await heldMail(api.worker, api.read);
    await page.goto('/review');
    await expect(page.locator('html')).toHaveAttribute('data-live', '');
    await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(first.key);
    await page.keyboard.press('j');
    await page.keyboard.press('f');
    await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(second.key);
    await expect(page.locator('#reason')).toBeFocused();
    for (const { key } of [first, second]) expect((await api.read.get(`/actions/${key}`)).status).toBe('held');
  });

  test('go on in a long list where the open row is: it is in sight', async ({ page, api }) => {
    await Promise.all(Array.from({ length: 30 }, () => heldMail(api.worker, api.read)));
    await page.setViewportSize({ width: 1360, height: 800 });
    await page.goto('/review');
    const last = await page.locator('.rows .row').last().getAttribute('data-key');
    await page.goto(`/review?key=${last}`);
    await expect(page.locator('.rows .row.is-open')).toBeInViewport();
    await expect(page.locator('.rows .row').first()).not.toBeInViewport();
  });

  test('are listed by a question mark, and stay off for who turned them off', async ({ page, api }) => {
    await heldMail(api.worker, api.read);
    await heldMail(api.worker, api.read);
    await page.goto('/review');
    await expect(page.locator('html')).toHaveAttribute('data-live', '');
    const stands = async (): Promise<unknown> => await page.locator('#open-title').boundingBox();
    const before = await stands();
    await page.keyboard.press('?');
    await expect(page.locator('.keylist')).toBeVisible();
    expect(await stands(), 'the case stays where it is').toEqual(before);
    await page.keyboard.press('Escape');
    await expect(page.locator('.keylist')).toBeHidden();

    await page.getByRole('button', { name: 'Turn keys off' }).click();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Turn keys on' })).toBeVisible();
    await page.locator('h1').click();
    await page.keyboard.press('j');
    await expect(page.locator('.rows .row-title').nth(1)).not.toBeFocused();
    await page.keyboard.press('?');
    await expect(page.locator('.keylist')).toBeHidden();
  });
});

test('a key is copied by its button', async ({ page, api, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(async () => await navigator.clipboard.readText())).toBe(held.key);
});

test('a form is sent once while its answer is on the way', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await expect(page.locator('html')).toHaveAttribute('data-live', '');
  await page.locator('textarea[name="reason"]').fill('Once.');
  let sent = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/_fn/decide')) sent += 1;
  });
  await page.evaluate(() => {
    const button = document.querySelector<HTMLButtonElement>('button[name="decision"][value="fail"]');
    button?.click();
    button?.click();
  });
  await expect(page.locator('main .notice')).toBeVisible();
  expect(sent).toBe(1);

  // Brought back by the browser, the page may be used again.
  await page.goBack();
  await expect(page.locator('form[data-sent]')).toHaveCount(0);
});

test.describe('as an admin', () => {
  test.use({ as: 'admin' });

  test('a number of seconds says what it comes to while it is typed', async ({ page }) => {
    await page.goto('/policies/send_email');
    await expect(page.locator('html')).toHaveAttribute('data-live', '');
    await expect(page.locator('#stale_after_s-m')).toHaveText('= 15 min');
    await page.locator('#stale_after_s').fill('7200');
    await expect(page.locator('#stale_after_s-m')).toHaveText('= 2 h');
  });
});
