// What changes while somebody reads is marked where it stands; nothing moves under the pointer.

import type { Page } from '@playwright/test';
import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';
import { Line } from './cut.ts';

const live = async (page: Page): Promise<void> => await expect(page.locator('.live-words')).toHaveText('Live');
const row = (page: Page, key: string) => page.locator(`.row[data-key="${key}"]`);

/** Where each row lies. */
const places = async (page: Page): Promise<unknown> =>
  await page.locator('.rows .row').evaluateAll((rows) => rows.map((one) => [one.getAttribute('data-key'), one.getBoundingClientRect().toJSON()]));

test('a row that moved is marked in words where it stands', async ({ page, api }) => {
  const [first, second] = [await heldMail(api.worker, api.read), await heldMail(api.worker, api.read)];
  await page.goto(`/review?key=${first.key}`);
  await live(page);
  const before = await places(page);
  await api.operator.post(`/actions/${second.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: second.version });
  await expect(row(page, second.key)).toContainText('Changed: now failed, by olga');
  await expect(page.locator('.live-news')).toContainText('1 here changed.');
  expect(await places(page)).toEqual(before);
  await page.locator('.live-news').getByRole('link', { name: 'Show' }).click();
  await expect(row(page, second.key)).toHaveCount(0);
  await live(page);
  await expect(page.locator('.live-news')).toBeHidden();
});

test('case D47: the row under the pointer is the one that opens, whatever arrives meanwhile', async ({ page, api }) => {
  const held = [];
  for (let n = 0; n < 3; n += 1) held.push(await heldMail(api.worker, api.read));
  const [first, aimed] = [held[0]!, held[1]!];
  await page.goto('/review');
  await live(page);
  const before = await places(page);
  await row(page, aimed.key).locator('.row-title').hover();
  await page.mouse.down();
  await api.operator.post(`/actions/${first.key}/decide`, { decision: 'fail', reason: 'paid', version: first.version });
  for (let n = 0; n < 3; n += 1) await heldMail(api.worker, api.read);
  await expect(page.locator('.live-news')).toContainText('3 new wait');
  await expect(row(page, first.key)).toContainText('Changed: now failed');
  expect(await places(page)).toEqual(before);
  await page.mouse.up();
  await expect(page).toHaveURL(new RegExp(`key=${aimed.key}`));
  await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(aimed.key);
});

test('what waits is counted in the frame, the title and the icon', async ({ page, api }) => {
  await page.goto('/actions');
  await live(page);
  await expect(page).toHaveTitle('Log · Holdpoint');
  await heldMail(api.worker, api.read);
  await expect(page).toHaveTitle('(1) Log · Holdpoint');
  await expect(page.locator('link[rel="icon"]')).toHaveAttribute('href', '/favicon-alert.svg');
  await expect(page.locator('.side-body .count')).toHaveText('1 waiting');
  await expect(page.locator('.side-body .count')).toHaveClass(/is-hot/);
  await expect(page.locator('.live-news')).toContainText('1 more changed.');
});

test('an empty queue says what came', async ({ page, api }) => {
  await page.goto('/review');
  await live(page);
  const held = await heldMail(api.worker, api.read);
  await expect(page.locator('.live-news')).toContainText('1 new waits.');
  await page.locator('.live-news').getByRole('link', { name: 'Show' }).click();
  await expect(row(page, held.key)).toBeVisible();
});

test('an action that moved says so on its own page, and keeps what was typed', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await live(page);
  const reason = page.locator('textarea[name="reason"]');
  await reason.fill('I am sure & certain: 100 %.');
  await api.operator.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: held.version });
  await expect(page.locator('.live-news')).toContainText('This action moved: now failed, by olga.');
  await expect(reason).toHaveValue('I am sure & certain: 100 %.');
  // Said once to who listens, with all that came at about the same time.
  await expect(page.locator('.live [role="status"]')).toHaveText('This action moved: now failed, by olga.');

  await page.locator('button[name="decision"][value="retry"]').click();
  await expect(page.locator('main .notice')).toContainText('olga');
  await expect(reason).toHaveValue('I am sure & certain: 100 %.');
  expect((await api.read.get(`/actions/${held.key}`)).status).toBe('failed');
});

test('what is shown anew keeps what was typed', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await live(page);
  await page.locator('textarea[name="reason"]').fill('100 % & sure');
  await api.operator.post(`/actions/${held.key}/decide`, { decision: 'retry', reason: 'once more', version: held.version });
  await expect(page.locator('.live-news')).toContainText('now released, by olga');
  const claim = await api.worker.post('/actions/claim', held.intent);
  await api.worker.post(`/actions/${held.key}/fail`, { attempt: claim.attempt, error: 'lost again' });
  await expect(page.locator('.live-news')).toContainText('now held');
  await page.locator('.live-news').getByRole('link', { name: 'Show' }).click();
  await expect(page.locator('textarea[name="reason"]')).toHaveValue('100 % & sure');
});

test('two operators decide at once: one decision, and the other is told whose', async ({ page, pageAs, api }) => {
  const held = await heldMail(api.worker, api.read);
  const other = await pageAs('second');
  for (const one of [page, other]) {
    await one.goto(`/actions/${held.key}`);
    await live(one);
    await one.locator('textarea[name="reason"]').fill('I decide.');
  }
  const press = async (one: Page, decision: string): Promise<void> => {
    await one.locator(`button[name="decision"][value="${decision}"]`).click();
    await expect(one.locator('main .notice').first()).toBeVisible();
  };
  await Promise.all([press(page, 'retry'), press(other, 'fail')]);
  const { history, status } = await api.read.get(`/actions/${held.key}`);
  const decided = history.filter((event: { event: string }) => event.event === 'decided');
  expect(decided).toHaveLength(1);
  const [loser, winner] = decided[0].by === 'olga' ? [other, 'olga'] : [page, 'omar'];
  expect(status).toBe(winner === 'olga' ? 'released' : 'failed');
  await expect(loser.locator('main .notice').first()).toContainText(winner);
});

test('that somebody agrees is told where the action is open, moves nothing and keeps what was typed', async ({ page, pageAs, api }) => {
  await api.admin.put('/policies/pay_out', { approvals_needed: 3, reason: 'money goes out' });
  const held = await heldMail(api.worker, api.read, { kind: 'pay_out', payload: { amount: 5 } });
  const other = await heldMail(api.worker, api.read, { kind: 'pay_out', payload: { amount: 6 } });
  const omar = await pageAs('second');
  await omar.goto(`/review?key=${held.key}`);
  const amir = await pageAs('admin');
  await amir.goto(`/actions/${other.key}`);
  for (const one of [omar, amir]) {
    await live(one);
    await one.locator('#reason').fill('I am looking at it.');
  }
  const before = await places(omar);
  for (const one of [held, other]) {
    await page.goto(`/actions/${one.key}`);
    await page.locator('#reason').fill('The account is right.');
    await page.locator('button[name="decision"][value="retry"]').click();
    await expect(page.locator('.agreed')).toContainText('You agreed');
  }
  await expect(omar.locator('.live-news')).toContainText('olga agreed to run this action once more.');
  await expect(row(omar, held.key)).toContainText('Changed: olga agreed');
  await expect(row(omar, other.key)).toContainText('Changed: olga agreed');
  await expect(amir.locator('.live-news')).toContainText('olga agreed to run this action once more.');
  expect(await places(omar)).toEqual(before);
  // Nothing of it moved: its version and its hold are as they were.
  await expect(omar.locator('.is-moved')).toHaveCount(0);
  await omar.locator('.live-news').getByRole('link', { name: 'Show' }).click();
  await expect(omar.locator('#reason')).toHaveValue('I am looking at it.');
  await expect(omar.locator('.agreed')).toContainText(/1 of 3: olga agreed/);
  await live(omar);
  await expect(omar.locator('.live-news')).toBeHidden();
});

test('the back button leads to what is so now, and decides nothing again', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await live(page);
  await page.locator('textarea[name="reason"]').fill('Lin has paid.');
  await page.locator('button[name="decision"][value="fail"]').click();
  await expect(page.locator('main .notice')).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`${held.key}$`));
  await expect(page.locator('.head-row .status')).toHaveText('Failed');
  await expect(page.locator('main .notice')).toHaveCount(0);
  const { history } = await api.read.get(`/actions/${held.key}`);
  expect(history.filter((event: { event: string }) => event.event === 'decided')).toHaveLength(1);
});

test.describe('eight tabs of one browser', () => {
  test.use({ settings: { HOLDPOINT_ALLOWED_HOSTS: '127.0.0.1' } });

  test('case D16: hold one stream, and the eighth decides', async ({ context, server, api }) => {
    test.setTimeout(120_000);
    const line = await Line.to(server.url);
    const held = await heldMail(api.worker, api.read);
    const other = await heldMail(api.worker, api.read);
    const tabs: Page[] = [];
    for (let n = 0; n < 8; n += 1) {
      const tab = await context.newPage();
      await tab.goto(`http://127.0.0.1:${line.port}/review?key=${held.key}`);
      await live(tab);
      tabs.push(tab);
    }
    expect(line.listening).toBe(1);
    const last = tabs[7]!;
    await last.goto(`${server.url}/review?key=${held.key}`);
    await last.locator('textarea[name="reason"]').fill('Lin has paid.');
    await last.locator('button[name="decision"][value="fail"]').click();
    await expect(last.locator('main .notice').first()).toBeVisible();
    for (const tab of tabs.slice(0, 7)) {
      await expect(row(tab, held.key)).toContainText('Changed: now failed, by olga');
    }

    // The tab that holds the stream goes: another one takes it over, and nothing is lost between the two.
    await tabs[0]!.close();
    await api.operator.post(`/actions/${other.key}/decide`, { decision: 'fail', reason: 'paid', version: other.version });
    for (const tab of tabs.slice(1, 7)) {
      await expect(row(tab, other.key)).toContainText('Changed: now failed, by olga');
    }
    expect(line.listening).toBe(1);
    for (const tab of tabs.slice(1)) await tab.close();
    await line.close();
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('a page says of when it is', async ({ page }) => {
    await page.goto('/review');
    await expect(page.locator('.live')).toHaveText(/^As of .* UTC/);
  });
});

test('that everything is paused is told on every page that is open, and moves nothing below', async ({ page, api }) => {
  await page.goto('/actions');
  await live(page);
  const told = page.locator('.side-body [data-paused]');
  const below = async (): Promise<unknown> => (await page.locator('.side-body .user').boundingBox()) as unknown;
  await expect(told).toBeHidden();
  const before = await below();
  await api.operator.post('/pause', { reason: 'The provider is down.' });
  await expect(told).toBeVisible();
  await expect(told).toHaveText('Everything is paused');
  expect(await below()).toEqual(before);
  await api.operator.post('/resume', { reason: 'It is back.' });
  await expect(told).toBeHidden();
});

test('a reaper that falls silent is told on a page that is open', async ({ page }) => {
  // The stream as a server tells it whose reaper passed two minutes ago.
  const passed = new Date(Date.now() - 120_000);
  const data = JSON.stringify({ count: 0, more: false, everything_paused: false, reaper_passed_at: passed.toISOString() });
  let silent = true;
  await page.route('**/api/v1/events', async (route) =>
    silent
      ? await route.fulfill({ contentType: 'text/event-stream', body: `event: waiting\ndata: ${data}\n\n` })
      : await route.continue(),
  );
  await page.goto('/actions');
  const vital = page.locator('.side-body [data-reaper]');
  await expect(vital.locator('[data-silent]')).toBeVisible();
  await expect(vital.locator('[data-alive]')).toBeHidden();
  const time = vital.locator('time');
  await expect(time).toHaveText('2 min ago');
  await expect(time).toHaveAttribute('datetime', passed.toISOString());
  await expect(time).toHaveAttribute('title', / · \d+ \w{3} \d{4}, \d\d:\d\d:\d\d UTC$/);
  // The real one is asked for again, and its reaper passes.
  silent = false;
  await expect(vital.locator('[data-alive]')).toBeVisible();
  await expect(vital.locator('[data-silent]')).toBeHidden();
});
