// Payloads are what strangers wrote: they are text on every page, with and without JavaScript.

import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';

const image = '<img src=x onerror="document.title=\'pwn\'">';
const script = '</title></script><script>document.title="pwn"</script>';

test('case D01: markup in a payload is shown, never run', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read, {
    target: `${image}@example.com`,
    summary: script,
    payload: { to: image, subject: script, body: `${image}${script}` },
  });
  for (const path of ['/', '/review', `/review?key=${held.key}`, '/actions', `/actions/${held.key}`]) {
    const answer = await page.goto(path);
    const source = (await answer?.text()) ?? '';
    expect(source, path).not.toContain(image);
    expect(source, path).not.toContain(script);
    await expect(page).not.toHaveTitle('pwn');
    await expect(page.locator('main'), path).toContainText('<script>document.title');
  }
});

test('case D38: names without end and text that turns around stay inside the page', async ({ page, api }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const held = await heldMail(api.worker, api.read, {
    run_id: 'r'.repeat(200),
    target: 'x'.repeat(300),
    summary: `invoice_\u202efdp.exe ${'y'.repeat(200)}`,
  });
  for (const path of ['/review', '/actions', `/actions/${held.key}`]) {
    await page.goto(path);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider, `${path} is wider than the window`).toBeLessThanOrEqual(0);
  }
  await expect(page.locator('button[name="decision"]').first()).toBeVisible();
});

test('case D38: a recipient cannot disguise what a button does', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read, { payload: { to: 'a\u202e@x.example', subject: 'x', body: 'y' } });
  await page.goto(`/actions/${held.key}`);
  const buttons = page.locator('button[name="decision"]');
  await expect(buttons).toHaveCount(3);
  for (const text of await buttons.allTextContents()) expect(text).not.toContain('\u202e');
  await expect(buttons.first()).toContainText('U+202E');
});

test('case D06: nothing is decided by GET', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  for (const path of [`/actions/${held.key}?decision=retry&version=${held.version}&reason=x`, '/_fn/decide?decision=retry']) {
    await page.request.get(path);
  }
  expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
});

test('case D03: a form from elsewhere decides nothing', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  const form = { key: held.key, version: String(held.version), decision: 'retry', reason: 'x' };
  const elsewhere: Record<string, string>[] = [{ origin: 'http://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }];
  for (const headers of elsewhere) {
    const answer = await page.request.post('/_fn/decide', { form, headers, maxRedirects: 0 });
    expect(answer.status(), JSON.stringify(headers)).toBe(403);
  }
  expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
});
