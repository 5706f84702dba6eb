// Signing in by an identity provider, through a browser and against a real one.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { test as base, expect } from './fixtures.ts';
import { Idp, signInThere } from './idp.ts';
import type { Server } from './server.ts';

const shots = join(import.meta.dirname, '../test-results/sso');

const test = base.extend<{ idp: Idp; opened: void }>({
  idp: async ({}, use) => {
    const idp = await Idp.start();
    await use(idp);
    await idp.stop();
  },
  settings: async ({ idp }, use) => {
    await use(idp.settings);
  },
  opened: [
    async ({ idp, server }, use) => {
      idp.people.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['hp-ops', 'other'] });
      idp.open(server.url);
      await use();
    },
    { auto: true },
  ],
});

// The browser's own lines for pages that say 403 and 503, and for what does not answer.
test.use({ as: null, allowedErrors: /status of (403|503)|net::ERR_(FAILED|CONNECTION_REFUSED)/ });

/** Where the frame says who is signed in. */
const who = (page: Page, name: string) => page.locator('bdi').filter({ hasText: name, visible: true }).first();

const button = (page: Page) => page.getByRole('link', { name: 'Sign in with Example ID' });

async function come(page: Page, subject = 'ada', next = '/'): Promise<void> {
  await page.goto(`/login?next=${encodeURIComponent(next)}`);
  await button(page).click();
  await signInThere(page, subject);
}

async function operators(server: Server): Promise<string> {
  return await server.database.run(['operator', 'list']);
}

/** What everyone hears who is not let in. */
async function refused(page: Page): Promise<void> {
  await expect(page.getByText('The identity provider did not let you in.')).toBeVisible();
  await page.goto('/');
  await expect(page).toHaveURL(/\/login\?next=/);
}

test('somebody comes in, to the page they wanted and with the role of their groups', async ({ page, server, idp }) => {
  await come(page, 'ada', '/actions?status=held');
  await expect(page).toHaveURL(`${server.url}/actions?status=held`);
  await expect(who(page, 'ada@example.com')).toBeVisible();
  const listed = await operators(server);
  expect(listed).toMatch(new RegExp(`ada@example\\.com +operator +enabled .* ${idp.issuer}`));
  expect(server.log).toContain('signed in by the provider, for the first time');
});

test('without JavaScript as well', async ({ browser, server }) => {
  const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false });
  const page = await context.newPage();
  await come(page, 'ada', '/review');
  await expect(page).toHaveURL(`${server.url}/review`);
  await context.close();
});

test('who is known at the provider still comes back without being asked', async ({ page, server }) => {
  await come(page);
  await expect(page).toHaveURL(`${server.url}/`);
  const cookies = await page.context().cookies(server.url);
  for (const { name } of cookies.filter((cookie) => cookie.name.startsWith('holdpoint'))) {
    await page.context().clearCookies({ name });
  }
  // The session is over; the browser remembers by which way it came.
  await page.goto('/review');
  await expect(page).toHaveURL(`${server.url}/review`);
  // Who signs out is not sent back in.
  await page.locator('details.user summary').filter({ visible: true }).click();
  await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click();
  await expect(page).toHaveURL(`${server.url}/login`);
  await page.goto('/review');
  await expect(page).toHaveURL(/\/login\?next=/);
  await button(page).click();
  await expect(page).toHaveURL(`${server.url}/review`);
});

test('case D52: a group that is taken away takes the role and ends the sessions', async ({ page, browser, server, idp }) => {
  idp.people.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['hp-admins'] });
  await come(page);
  await expect(who(page, 'ada@example.com')).toBeVisible();
  expect(await operators(server)).toMatch(/ada@example\.com +admin +enabled/);
  await expect(server.database.run(['operator', 'set-role', 'ada@example.com', '--role', 'viewer'])).rejects.toThrow(
    /identity provider/,
  );

  idp.people.set('ada', { email: 'ada@example.com', email_verified: true, groups: ['hp-look'] });
  const other = await browser.newContext({ baseURL: server.url });
  const second = await other.newPage();
  await come(second);
  await expect(who(second, 'ada@example.com')).toBeVisible();
  expect(await operators(server)).toMatch(/ada@example\.com +viewer +enabled/);
  // The first browser goes through the provider again, and is what she is by now.
  await page.goto('/review');
  await expect(page).toHaveURL(`${server.url}/review`);

  idp.people.set('ada', { email: 'ada@example.com', email_verified: true, groups: [] });
  const third = await (await browser.newContext({ baseURL: server.url })).newPage();
  await come(third);
  await expect(third.getByText('You have no access here.')).toBeVisible();
  expect(await operators(server)).toMatch(/ada@example\.com +viewer +disabled/);
  await page.goto('/review');
  await expect(page.getByText('You have no access here.')).toBeVisible();
  await other.close();
  await third.context().close();
});

test('case D04: another address leaves somebody who they are', async ({ page, server, idp }) => {
  idp.people.set('bob', { email: 'bob@example.com', email_verified: true, groups: ['hp-look'] });
  await come(page, 'bob');
  await expect(who(page, 'bob@example.com')).toBeVisible();
  await page.context().clearCookies();
  idp.people.set('bob', { email: 'ada@example.com', email_verified: true, groups: ['hp-look'] });
  await come(page, 'bob');
  await expect(who(page, 'bob@example.com')).toBeVisible();
  expect(await operators(server)).not.toContain('ada@example.com');
});

for (const [what, claims] of [
  ['an address that was not verified', { email: 'ada@example.com', email_verified: false }],
  ['a domain that begins alike', { email: 'ada@example.com.evil.test', email_verified: true }],
  ['a domain with another letter for the dot', { email: 'ada@examplexcom', email_verified: true }],
  ['an address in quotes before another', { email: '"ada@example.com"@evil.test', email_verified: true }],
  ['no address', {}],
] as const) {
  test(`case D04: ${what} does not come in`, async ({ page, server, idp }) => {
    idp.people.set('ada', { ...claims, groups: ['hp-admins'] });
    await come(page);
    await refused(page);
    expect(await operators(server)).not.toContain(idp.issuer);
    expect(server.log).toContain('a sign-in by the provider was refused');
  });
}

test('case D52: groups that are not said are no groups to go by', async ({ page, server, idp }) => {
  idp.people.set('ada', { email: 'ada@example.com', email_verified: true });
  await come(page);
  await refused(page);
  expect(server.log).toContain('sends no claim groups');
});

test('an answer is taken once, and in the browser that asked', async ({ page, browser, server }) => {
  await page.goto('/login');
  await button(page).click();
  await expect(page.getByLabel('Who are you?')).toBeVisible();
  // The provider's way back, stopped at the last step.
  let sent = await page.request.post(page.url(), { form: { login: 'ada' }, maxRedirects: 0 });
  let answer = '';
  while (!answer.startsWith(server.url)) {
    answer = new URL(sent.headers()['location'] ?? '', sent.url()).href;
    if (!answer.startsWith(server.url)) sent = await page.request.get(answer, { maxRedirects: 0 });
  }
  expect(answer).toContain('code=');
  const stranger = await (await browser.newContext({ baseURL: server.url })).newPage();
  await stranger.goto(answer);
  await refused(stranger);
  await page.goto(answer);
  await expect(page).toHaveURL(`${server.url}/`);
  await expect(who(page, 'ada@example.com')).toBeVisible();
  await page.context().clearCookies();
  await page.goto(answer);
  await refused(page);
  await stranger.context().close();
});

test('a provider that is away is said to be, and found once it is back', async ({ page, server, idp }) => {
  await page.goto('/login');
  await idp.stop();
  await button(page).click();
  // What was read of the provider before is enough to be sent there, where nobody answers.
  if (page.url().startsWith(server.url)) {
    await expect(page.getByText("The identity provider can't be reached.")).toBeVisible();
  }
  await idp.comeBack();
  await come(page);
  await expect(who(page, 'ada@example.com')).toBeVisible();
});

for (const [colorScheme, width] of [['light', 1360], ['dark', 360]] as const) {
  test.describe(`${colorScheme} at ${width}`, () => {
    test.use({ colorScheme, viewport: { width, height: 880 } });

    test('the way in and its refusals', async ({ page, server, accessible }) => {
      await mkdir(shots, { recursive: true });
      for (const failed of ['', 'sso', 'no-role', 'unreachable']) {
        if (failed) await page.context().addCookies([{ name: 'told', value: `${failed}.`, url: server.url }]);
        await page.goto('/login?next=/review');
        await expect(button(page)).toBeVisible();
        await page.screenshot({ path: join(shots, `login-${failed}-${colorScheme}-${width}.png`), fullPage: true });
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(wider).toBeLessThanOrEqual(0);
        await accessible(page);
      }
    });
  });
}
