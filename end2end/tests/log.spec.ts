// The log's filters: refused where they cannot be read, typed by the reader's clock, the same without a script.

import { heldMail, sentMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

const long = 'x'.repeat(200);
const run = `r${long.slice(1)}`;

async function fill(_: unknown, api: Record<'worker' | 'read', Api>): Promise<Record<string, string>> {
  for (let n = 0; n < 8; n += 1) await sentMail(api.worker, `welcome-${n}`, n);
  await heldMail(api.worker, api.read);
  // Letters that turn the line round, marks that pile up, flags, what nobody sees, and names without a break.
  const odd = ['invoice_\u202Efdp.exe', `Z${'\u0301'.repeat(40)}`, '🇩🇪🇫🇷'.repeat(20), '\u200B\u200D', long];
  for (const [n, text] of odd.entries()) {
    await heldMail(api.worker, api.read, { target: text, summary: text, run_id: `r${long.slice(n + 1)}`, worker: text });
  }
  await api.worker.post('/actions/claim', {
    run_id: run, step: 9, kind: 'k'.repeat(64), target: long, payload_text: 'x', worker: long, summary: long,
  });
  return {
    'log-full': '/actions',
    'log-filtered': `/actions?reason=outcome_unknown&worker=mailer-2&since=2020-01-01T00:00&run_id=${run}&order=oldest`,
    'log-unreadable': '/actions?since=x&worker=mailer-2',
    'log-unknown': '/actions?stauts=held',
    'log-nothing': '/actions?q=nobody&kind=send_email&status=failed',
  };
}

test.describe('looks', () => {
  test.use({ allowedErrors: /422/ });
  looks('the log', 'viewer', fill);
});

test.describe('at 320 px and twice the size', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('case D38: names without a break push nothing off the screen', async ({ page, api }) => {
    await fill(page, api);
    for (const path of ['/actions', `/runs/${run}`, '/stale', '/actions?status=held']) {
      await page.goto(path);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(wider, path).toBeLessThanOrEqual(0);
      for (const status of await page.locator('tbody .status').all()) {
        const box = await status.boundingBox();
        expect(box !== null && box.x >= 0 && box.x + box.width <= 320, path).toBe(true);
      }
    }
    await page.goto('/actions');
    await expect(page.locator('tbody')).toContainText('U+202E');
    const turned = page.locator('tbody bdi', { hasText: 'fdp.exe' }).first();
    expect(await turned.evaluate((one) => getComputedStyle(one).unicodeBidi)).toBe('isolate');
    // The whole of a name is there to be read and copied, however much of it is seen.
    await expect(page.locator('tbody .what', { hasText: long }).first()).toHaveText(long);
  });
});

test.describe('a reader in Los Angeles', () => {
  test.use({ timezoneId: 'America/Los_Angeles' });

  test('case D22: a time is typed by the reader’s clock, told in UTC and sent in UTC', async ({ page, api }) => {
    await sentMail(api.worker, 'welcome-1');
    await page.goto('/actions');
    await page.getByText('More filters').click();
    const from = page.getByLabel('Made from');
    await expect(page.locator('#f-since-z')).toHaveText('in America/Los_Angeles');
    await from.fill('2026-03-08T02:30');
    await expect(page.locator('#f-since-u')).toContainText('leaves this hour out');
    await from.fill('2026-11-01T01:30');
    await expect(page.locator('#f-since-u')).toContainText('shows this hour twice');
    await page.getByRole('button', { name: 'Filter' }).click();
    expect(page.url(), 'what is not clear is not sent').not.toContain('since=');
    await from.fill('2020-11-01T03:30');
    await expect(page.locator('#f-since-u')).toHaveText('= 2020-11-01 11:30:00 UTC');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/since=/);
    expect(new URL(page.url()).searchParams.get('since')).toBe('2020-11-01T11:30:00Z');
    await expect(page.getByRole('link', { name: 'CSV' })).toHaveAttribute('href', /since=2020-11-01T11%3A30%3A00/);
    // The same page again: by the reader's clock in the field, in UTC in the address.
    await expect(page.getByLabel('Made from')).toHaveValue(/^2020-11-01T03:30/);
    await page.getByText('More filters').click();
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe('2020-11-01T11:30:00Z');
    await expect(page.locator('tbody tr')).toHaveCount(1);
  });
});

test.describe('with JavaScript off', () => {
  test.use({ javaScriptEnabled: false, allowedErrors: /422/ });

  test('case D22: without a script times are typed in UTC, and what cannot be read is kept and named', async ({ page, api }) => {
    await sentMail(api.worker, 'welcome-1');
    const answer = await page.goto('/actions?since=yesterday&worker=mailer-1');
    expect(answer?.status()).toBe(422);
    const from = page.getByLabel('Made from');
    await expect(from).toHaveValue('yesterday');
    await expect(from).toHaveAttribute('aria-invalid', 'true');
    await expect(page.getByLabel('Worker')).toHaveValue('mailer-1');
    await expect(page.locator('tbody tr')).toHaveCount(0);
    await expect(page.locator('#f-since-z')).toHaveText('in UTC');
    await page.getByRole('link', { name: 'Leave out “Made from”' }).click();
    await expect(page.locator('tbody tr')).toHaveCount(1);
    expect(new URL(page.url()).search).toBe('?worker=mailer-1');
    for (const time of await page.locator('tbody time').allTextContents()) expect(time).toContain('UTC');
  });
});
