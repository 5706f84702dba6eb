// Case D60 in a browser of another make: what the pages lean on (islands, the stream, locks, forms) is not Chromium's
// alone. Playwright drives a Firefox of its own making only; this one is Debian's, spoken to over WebDriver BiDi.

import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';
import { password, people } from './people.ts';

const program = process.env['HOLDPOINT_FIREFOX'] ?? '/usr/bin/firefox-esr';

test.skip(!existsSync(program), 'there is no Firefox: install firefox-esr, or name one in HOLDPOINT_FIREFOX');

const text = async (page: Page, selector: string): Promise<string> =>
  await page.$eval(selector, (one) => one.textContent ?? '').catch(() => '');

/** A window of somebody who has signed in by the form, at this address. */
async function signedIn(browser: Browser, url: string): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.setViewport({ width: 1280, height: 860 });
  await page.goto(url);
  await page.type('input[name="name"]', people.operator.name);
  await page.type('input[name="password"]', password);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  expect(page.url()).toBe(url);
  return { page, errors };
}

const inFirefox = test.extend<{ firefox: Browser }>({
  firefox: async ({}, use) => {
    const browser = await puppeteer.launch({ browser: 'firefox', executablePath: program });
    await use(browser);
    await browser.close();
  },
});

inFirefox('case D60 in Firefox: what comes to wait is told while a reason is typed, and the decision is made once', async ({ firefox, server, api }) => {
  const held = await heldMail(api.worker, api.read);
  const { page, errors } = await signedIn(firefox, `${server.url}/review`);
  await expect.poll(async () => await text(page, '.live-words')).toBe('Live');
  await expect.poll(async () => await text(page, '.rows time')).toMatch(/^\d+ s$/);
  await page.keyboard.press('f');
  await page.keyboard.type('Lin has paid.');
  await heldMail(api.worker, api.read);
  await expect.poll(async () => await text(page, '.live-news')).toContain('1 new waits');
  expect(await page.$eval('#reason', (one) => (one as HTMLTextAreaElement).value)).toBe('Lin has paid.');
  await page.waitForFunction("getComputedStyle(document.querySelector('.answer')).pointerEvents === 'auto'");
  await Promise.all([page.waitForNavigation(), page.click('button[name="decision"][value="fail"]', { count: 2 })]);
  await expect.poll(async () => await text(page, '.notices')).toContain('Recorded');
  const { status, history } = await api.read.get(`/actions/${held.key}`);
  expect(status).toBe('failed');
  expect(history.filter((event: { event: string }) => event.event === 'decided')).toHaveLength(1);
  expect(errors).toEqual([]);
});
