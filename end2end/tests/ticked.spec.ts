// Rows that are ticked, and the selections that are made of them: what stays ticked, what is left out, what comes next.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Held, heldMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/ticked');
const ready = async (page: Page): Promise<void> => await expect(page.locator('html')).toHaveAttribute('data-live', '');
const box = (page: Page, held: Held) => page.getByRole('checkbox', { name: held.summary });
const ticked = (page: Page) => page.locator('input[name="key[]"]:checked');
const row = (page: Page, held: Held) => page.locator('.rows .row', { hasText: held.summary });
const answer = (page: Page, decision: string) => page.locator(`button[name="decision"][value="${decision}"]`);

async function many(api: Record<'worker' | 'read', Api>, n: number, more: Record<string, unknown> = {}): Promise<Held[]> {
  const all: Held[] = [];
  for (let made = 0; made < n; made += 1) all.push(await heldMail(api.worker, api.read, more));
  return all;
}

async function look(page: Page, name: string): Promise<void> {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
}

test('what is ticked stays so over opening a row, a decision and a reload, and nothing else is', async ({ page, api }) => {
  const [first, second, third, fourth] = (await many(api, 4)) as [Held, Held, Held, Held];
  await page.goto('/review');
  await ready(page);
  for (const one of [second, third, fourth]) await box(page, one).check();
  const still = async (...those: Held[]): Promise<void> => {
    await ready(page);
    await expect(ticked(page)).toHaveCount(those.length);
    for (const one of those) await expect(box(page, one)).toBeChecked();
    await expect(page.locator('.selected [role="status"]')).toHaveText(`${those.length} selected on this page`);
  };
  await row(page, third).locator('.row-title').click();
  await expect(page).toHaveURL(new RegExp(third.key));
  await still(second, third, fourth);
  await page.reload();
  await still(second, third, fourth);
  // The open one is decided on alone: it leaves the queue, and the next is open.
  await page.locator('#reason').fill('Lin has paid.');
  await answer(page, 'fail').click();
  await expect(page.locator('main .notice').first()).toContainText('Recorded: given up.');
  await still(second, fourth);
  await box(page, second).uncheck();
  await page.reload();
  await still(fourth);
  // One that moved and is held again is not the one that was ticked.
  await api.operator.post(`/actions/${fourth.key}/decide`, { decision: 'retry', reason: 'again', version: fourth.version });
  const { attempt } = await api.worker.post('/actions/claim', fourth.intent);
  await api.worker.post(`/actions/${fourth.key}/fail`, { attempt, error: 'lost again' });
  await page.reload();
  await ready(page);
  await expect(box(page, fourth)).toBeVisible();
  await expect(ticked(page)).toHaveCount(0);
  await box(page, first).check();
  await page.getByRole('button', { name: 'Select none' }).click();
  await page.reload();
  await ready(page);
  await expect(ticked(page)).toHaveCount(0);
});

test('what a selection was made of is ticked no more', async ({ page, api }) => {
  const [first, second] = (await many(api, 3)) as [Held, Held];
  await page.goto('/review');
  await ready(page);
  await box(page, first).check();
  await box(page, second).check();
  await page.getByRole('button', { name: 'Decide on the selected' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decide on 2 actions together');
  await ready(page);
  await page.goto('/review');
  await ready(page);
  await expect(page.locator('input[name="key[]"]')).toHaveCount(3);
  await expect(ticked(page)).toHaveCount(0);
});

test('what one person ticked is not ticked for the next one', async ({ page, pageAs, api, server }) => {
  const [first] = (await many(api, 2)) as [Held];
  await page.goto('/review');
  await ready(page);
  await box(page, first).check();
  // The same tab, and somebody else's session in it.
  const omar = await pageAs('second');
  await page.context().clearCookies();
  await page.context().addCookies(await omar.context().cookies(server.url));
  await page.reload();
  await ready(page);
  await expect(page.locator('.side-body')).toContainText('omar');
  await expect(ticked(page)).toHaveCount(0);
});

test('while rows are ticked the answers say that they are for the open action alone', async ({ page, api, accessible }) => {
  const [first, second, third] = (await many(api, 3)) as [Held, Held, Held];
  await page.goto(`/review?key=${first.key}`);
  await ready(page);
  const note = page.locator('#decide-form .alone');
  await expect(note).toBeHidden();
  await box(page, second).check();
  await box(page, third).check();
  await expect(note).toContainText('These answers are for this action alone.');
  await accessible(page);
  await look(page, 'alone');
  await note.getByRole('button', { name: 'Go on with the 2 selected' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decide on 2 actions together');
  await page.goto(`/review?key=${first.key}`);
  await ready(page);
  await expect(note).toBeHidden();
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a row is left out, and the others are decided on', async ({ page, api }) => {
      const [first, second, third] = (await many(api, 3)) as [Held, Held, Held];
      await page.goto('/review');
      await page.getByRole('button', { name: 'Select all 3 that match' }).click();
      await expect(row(page, second)).toContainText('connection lost after the final dot');
      await expect(row(page, second).locator('.row-age')).toContainText(javaScriptEnabled ? /^(now|\d+ s)/ : /^since /);
      await page.getByRole('checkbox', { name: `Leave out: ${second.summary}` }).check();
      if (javaScriptEnabled) {
        await expect(page.locator('.left-out b')).toHaveText('1 left out: the answers are for 2 of 3.');
        // Looked at, it is left out all the same.
        await row(page, second).locator('.row-title').click();
        await expect(page).toHaveURL(/actions/);
        await page.goto((await page.evaluate(() => document.referrer)) || '/');
        await ready(page);
        await expect(page.locator('.left-out b')).toHaveText('1 left out: the answers are for 2 of 3.');
      }
      // Blanks are a reason to a browser, and none to the server: what was left out stays so.
      await page.locator('#reason').fill('   ');
      await answer(page, 'retry').click();
      await expect(page.locator('.notice')).toContainText('say why');
      await expect(page.getByRole('checkbox', { name: `Leave out: ${second.summary}` })).toBeChecked();
      await page.locator('#reason').fill('The provider is back.');
      await page.locator('select[name="spread_s"]').selectOption('3600');
      await answer(page, 'retry').click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 retried, 0 changed meanwhile, 0 refused, 1 left out: 3 in all');
      await expect(row(page, second)).toContainText('Left out');
      await expect(row(page, second)).toContainText('Held');
      expect((await api.read.get(`/actions/${second.key}`)).status).toBe('held');
      // When each is due, and the way back to what is left.
      await expect(row(page, third)).toContainText(javaScriptEnabled ? /due in (39|40) min/ : /due on \d+ \w+, \d\d:\d\d UTC/);
      await expect(row(page, first)).toContainText('due');
      await page.getByRole('link', { name: 'Back to the queue: 1 waits' }).click();
      await expect(page.locator('.rows .row')).toHaveCount(1);
      await expect(row(page, second)).toBeVisible();
    });
  });
}

const loud = 'OSError: [Errno 113] No route to host while sending the message to the relay of the provider\n' +
  '  at Relay.deliver (relay.py:118) in an attempt to reach smtp.provider.example on port 587 with STARTTLS\n' +
  '  caused by: the connection was reset by the peer after 30 seconds of silence';

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1360]) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({ colorScheme, viewport: { width, height: 880 } });

      test('a long error takes one line of its row, and all of it is in the case', async ({ page, api, accessible }) => {
        await api.admin.put('/policies/pay_out', { approvals_needed: 2, reason: 'money goes out' });
        const keys: string[] = [];
        for (let n = 0; n < 3; n += 1) {
          const kind = n === 0 ? 'pay_out' : 'send_email';
          const claim = await api.worker.post('/actions/claim', {
            run_id: `loud-${n}`, step: 1, kind, target: 'lin@northwind.example', payload: { n }, worker: 'mailer-2', summary: `Reminder ${n}`,
          });
          await api.worker.post(`/actions/${claim.key}/fail`, { attempt: 1, error: loud });
          keys.push(claim.key);
        }
        const { version } = await api.read.get(`/actions/${keys[0]}`);
        await api.operator.post(`/actions/${keys[0]}/decide`, { decision: 'retry', reason: 'I agree.', version });
        await page.goto(width === 360 ? '/review?key=' : `/review?key=${keys[1]}`);
        await ready(page);
        const error = page.locator('.row-error').last();
        await expect(error).toContainText('OSError');
        const line = await error.evaluate((one) => Number.parseFloat(getComputedStyle(one).lineHeight));
        expect((await error.boundingBox())?.height).toBeLessThanOrEqual(line * 1.3);
        await expect(page.locator('.row').first()).toContainText('1 of 2: olga agreed');
        if (width !== 360) {
          await page.getByRole('checkbox').first().check();
          await expect(page.locator('.pane')).toContainText('caused by: the connection was reset');
        }
        await look(page, `queue-${colorScheme}-${width}`);
        await accessible(page);
        await page.goto('/review?kind=send_email');
        await page.getByRole('button', { name: 'Select all 2 that match' }).click();
        await ready(page);
        await page.getByRole('checkbox', { name: 'Leave out: Reminder 2' }).check();
        await look(page, `selection-${colorScheme}-${width}`);
        await accessible(page);
        await page.locator('select[name="spread_s"]').selectOption('3600');
        await page.locator('#reason').fill('The provider is back.');
        await answer(page, 'retry').click();
        await expect(page.getByRole('heading', { level: 1 })).toContainText('1 retried');
        await look(page, `answer-${colorScheme}-${width}`);
        await accessible(page);
      });
    });
  }
}
