// The page of one action: every state looks right, long payloads stay light, differences are told.

import { gzipSync } from 'node:zlib';
import { randomBytes } from 'node:crypto';
import { heldMail, sentMail } from './actions.ts';
import { expect, test } from './fixtures.ts';
import { looks } from './looks.ts';
import { drifted, every, letters, order } from './scenes.ts';

/** The most that a page's HTML takes, compressed. */
const most = 100 * 1024;

looks('an action', 'operator', async (_page, api) => {
  const keys = await every(api);
  return Object.fromEntries(Object.entries(keys).map(([name, key]) => [`one-${name}`, `/actions/${key}`]));
});

test.describe('on a wall of glass', () => {
  test.use({ viewport: { width: 2560, height: 1300 } });

  test('an action uses the room and is no wider', async ({ page, api }) => {
    const key = await drifted(api, letters.first, letters.second);
    await page.goto(`/actions/${key}`);
    await page.screenshot({ path: 'test-results/pages/one-drifted-2560.png' });
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider).toBeLessThanOrEqual(0);
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('every state says what happens next if nobody does anything', async ({ page, api }) => {
    for (const [name, key] of Object.entries(await every(api))) {
      await page.goto(`/actions/${key}`);
      await expect(page.getByText('If nobody does anything:'), name).toBeVisible();
      await expect(page.locator('.event.is-next .event-what').last(), name).not.toBeEmpty();
      await expect(page.locator('figure.timeline svg[role="img"]').first(), name).toHaveAttribute('aria-label', /\w/);
    }
  });

  test('a difference is told member by member, with both hashes and what each answer does', async ({ page, api }) => {
    const key = await drifted(api, letters.first, letters.second);
    await page.goto(`/actions/${key}`);
    const drift = page.locator('#drift');
    await expect(drift.locator('.diff-place')).toHaveText(['/subject', '/body', '/attachments/1', '/cc']);
    await expect(drift.locator('.is-gone del', { hasText: '380' })).toHaveText('380');
    await expect(drift.locator('.is-come ins', { hasText: '830' })).toHaveText('830');
    await expect(drift).toContainText('Alike in both: to');
    await expect(drift.locator('.hash')).toHaveCount(2);
    const { payload_hash: hash } = await api.read.get(`/actions/${key}`);
    await expect(drift.locator('.hash').last()).toHaveText(hash);
    await expect(drift).toContainText('The first one was sent: this would be a second one, with this body.');
  });

  test('the key is told by its five parts, and the joined ones make it', async ({ page, api }) => {
    const key = await sentMail(api.worker, 'welcome-1');
    await page.goto(`/actions/${key}`);
    await page.getByText('How it was computed').click();
    await expect(page.locator('.recipe dt')).toHaveText(['run_id', 'step', 'kind', 'target', 'payload_hash']);
    const joined = await page.getByLabel('The five parts, joined').inputValue();
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(joined));
    expect(Buffer.from(digest).toString('hex')).toBe(key);
  });

  test('the same target’s other actions stand beside it, and the very same body is pointed out', async ({ page, api }) => {
    await sentMail(api.worker, 'welcome-1');
    await sentMail(api.worker, 'welcome-2');
    const claim = { run_id: 'welcome-3', step: 1, kind: 'send_email', target: 'ada@example.com', payload_text: 'Hello Ada', summary: 'Third' };
    const { key } = await api.worker.post('/actions/claim', claim);
    await page.goto(`/actions/${key}`);
    await expect(page.getByText('got 2 other mails in the last 24 hours.')).toBeVisible();
    await expect(page.locator('.same-body')).toHaveCount(2);
  });

  test('a mail is laid out with its attachments named, and what it is besides', async ({ page, api }) => {
    const payload = { ...letters.second, from: { name: 'Ada', email: 'ada@example.com' }, campaign: 7 };
    const held = await heldMail(api.worker, api.read, { payload });
    await page.goto(`/actions/${held.key}`);
    const mail = page.getByRole('region', { name: 'The mail' });
    await expect(mail.locator('dt')).toHaveText(['To', 'From', 'Cc', 'Subject']);
    await expect(mail.locator('.mail-files li')).toHaveText(['invoice-2041.pdf', 'terms.pdf']);
    await expect(mail.locator('.mail-foot').last()).toContainText('campaign');
  });
});

test.describe('a payload of 256 KiB', () => {
  const size = 255 * 1024;
  const noise = (bytes: number): string => randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64').slice(0, bytes);
  const hostile = Array.from({ length: 60_000 }, (_, n) => String.fromCodePoint(n % 2 === 0 ? 0x202e : 0x4e00 + ((n * 7919) % 20_000))).join('');
  const payloads: Record<string, Record<string, unknown>> = {
    'of one text': { payload: { note: noise(size) } },
    'of many members': { payload: Object.fromEntries(Array.from({ length: 9_000 }, (_, n) => [`m${n}`, noise(16)])) },
    'of a list': { payload: Array.from({ length: 40_000 }, (_, n) => n) },
    'of depth': { payload: JSON.parse(`${'['.repeat(100)}${JSON.stringify(noise(200_000))}${']'.repeat(100)}`) },
    'of a mail': { payload: { to: 'ada@example.com', subject: 'S', body: noise(size - 200) } },
    'of text': { payload_text: noise(size) },
    'of signs nobody sees': { payload_text: hostile },
  };

  for (const [what, payload] of Object.entries(payloads)) {
    test(`${what} makes no heavy page, and is a file whole`, async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read, { payload: undefined, ...payload });
      for (const path of [`/actions/${held.key}`, `/review?key=${held.key}`]) {
        const answer = await page.request.get(path);
        const html = gzipSync(await answer.body()).length;
        expect(html, `${path} ${what}`).toBeLessThan(most);
      }
      await page.goto(`/actions/${held.key}`);
      await expect(page.getByText('Not all of it is shown here.')).toBeVisible();
      const file = page.waitForEvent('download');
      await page.getByRole('link', { name: 'The whole as a file' }).click();
      expect((await file).suggestedFilename()).toMatch(/^[0-9a-f]{12}-payload\.(json|txt)$/);
      const whole = await page.request.get(`/actions/${held.key}/payload`);
      const stored = await api.read.get(`/actions/${held.key}`);
      const text = await whole.text();
      if (stored.payload_text === undefined) expect(JSON.parse(text)).toEqual(stored.payload);
      else expect(text).toBe(stored.payload_text);
    });
  }

  test('that differs from another one makes no heavy page', async ({ page, api }) => {
    const key = await drifted(api, { note: noise(size) }, { note: noise(size - 4_000), more: order() });
    const answer = await page.request.get(`/actions/${key}`);
    expect(gzipSync(await answer.body()).length).toBeLessThan(most);
    await page.goto(`/actions/${key}`);
    await expect(page.getByText('There is more that differs than is shown here.')).toBeVisible();
  });

  test('with a long history and a long result makes no heavy page', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read, { payload: { note: noise(size) } });
    await api.operator.post(`/actions/${held.key}/decide`, { decision: 'succeed', reason: noise(2000), version: held.version, result: { seen: noise(200_000) } });
    for (let n = 0; n < 120; n += 1) await api.worker.post(`/actions/${held.key}/succeed`, { attempt: 1, result: { again: noise(2000) } });
    const answer = await page.request.get(`/actions/${held.key}`);
    expect(gzipSync(await answer.body()).length).toBeLessThan(most);
    const result = await page.request.get(`/actions/${held.key}/result`);
    expect(JSON.parse(await result.text()).seen).toHaveLength(200_000);
  });
});
