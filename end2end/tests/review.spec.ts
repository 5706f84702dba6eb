// The review page as somebody uses it who decides one after the other: keys to the answers, the next case, what moved
// meanwhile, and a decision whose answer does not come.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Held, heldMail } from './actions.ts';
import { Line } from './cut.ts';
import { type Api, expect, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/review');
const ready = async (page: Page): Promise<void> => await expect(page.locator('html')).toHaveAttribute('data-live', '');
const live = async (page: Page): Promise<void> => await expect(page.locator('.live-words')).toHaveText('Live');
const row = (page: Page, key: string) => page.locator(`.row[data-key="${key}"]`);
const answer = (page: Page, decision: string) => page.locator(`button[name="decision"][value="${decision}"]`);
const open = (page: Page) => page.locator('#decide-form input[name="key"]');

async function three(api: Record<'worker' | 'read', Api>): Promise<[Held, Held, Held]> {
  return [await heldMail(api.worker, api.read), await heldMail(api.worker, api.read), await heldMail(api.worker, api.read)];
}

async function decisions(api: Record<'read', Api>, key: string): Promise<unknown[]> {
  const { history } = await api.read.get(`/actions/${key}`);
  return history.filter((event: { event: string }) => event.event === 'decided');
}

async function look(page: Page, name: string): Promise<void> {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`) });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
}

test.describe('keys', () => {
  for (const path of ['/review', '/actions/:key']) {
    test(`Escape leads from the reason to the answer that was asked for, on ${path}`, async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(path.replace(':key', held.key));
      await ready(page);
      await page.keyboard.press('f');
      const reason = page.locator('#reason');
      await expect(reason).toBeFocused();
      await page.keyboard.type('Lin has paid.');
      // What other programs send by is no way to decide.
      await page.keyboard.press('Control+Enter');
      await page.keyboard.press('Meta+Enter');
      await page.keyboard.press('Escape');
      await expect(answer(page, 'fail')).toBeFocused();
      expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
      await page.keyboard.press('Enter');
      await expect(page.locator('main .notice').first()).toContainText('Recorded: given up.');
    });
  }

  test('Escape leaves the reason where no answer was asked for: none is more at hand than another', async ({ page, api }) => {
    await heldMail(api.worker, api.read);
    await page.goto('/review');
    await ready(page);
    await page.locator('#reason').fill('It did not go out.');
    await page.keyboard.press('Escape');
    await expect(page.locator('#reason')).not.toBeFocused();
    await expect(page.locator('button[name="decision"]:focus')).toHaveCount(0);
    await page.keyboard.press('s');
    await expect(answer(page, 'succeed')).toBeFocused();
  });

  test('an answer that is asked for on another row is the one that its reason leads to', async ({ page, api }) => {
    await heldMail(api.worker, api.read);
    const second = await heldMail(api.worker, api.read);
    await page.goto('/review');
    await ready(page);
    await page.keyboard.press('j');
    // Letters of r, f and s follow at once, as somebody types who does not wait for the row to open.
    await page.keyboard.press('f');
    await page.keyboard.press('r');
    await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(second.key);
    await expect(page.locator('#reason')).toBeFocused();
    await page.keyboard.type('srf it was a person');
    await page.keyboard.press('Escape');
    await expect(answer(page, 'fail')).toBeFocused();
    await page.reload();
    await ready(page);
    await expect(page.locator('#reason'), 'it is asked for once').not.toBeFocused();
  });

  test('a refused decision stands at its own address: loading it anew sends nothing', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read);
    await page.goto(`/review?key=${held.key}`);
    await ready(page);
    await api.admin.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'paid', version: held.version });
    await page.locator('#reason').fill('Not in the outbox.');
    await answer(page, 'retry').click();
    await expect(page.locator('.notice:visible').first()).toContainText('It changed while you were deciding.');
    await expect(page.locator('#reason')).toHaveValue('Not in the outbox.');
    await expect(page).toHaveURL(new RegExp(`/review\\?key=${held.key}$`));
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.reload();
    await ready(page);
    expect(sent.filter((line) => line.startsWith('POST'))).toEqual([]);
  });

  test('those of an action are no more than lead to its answers', async ({ page, api, accessible }) => {
    const held = await heldMail(api.worker, api.read);
    await page.goto(`/actions/${held.key}`);
    await ready(page);
    await page.keyboard.press('?');
    const list = page.locator('.keylist');
    await expect(list).toBeVisible();
    await expect(list.locator('dd:visible')).toHaveCount(3);
    await expect(list).toContainText('from the reason: to the button');
    await expect(page.locator('.keys kbd', { hasText: 'j' })).toBeHidden();
    await accessible(page);
    await look(page, 'keys-of-an-action');
    await api.operator.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'paid', version: held.version });
    await page.reload();
    await ready(page);
    await expect(page.locator('.keys kbd:visible'), 'it was given up: that is no answer any more').toHaveText(['r', 's', '?']);
    await expect(page.locator('.answer kbd:visible')).toHaveText(['r', 's']);
    await api.operator.post(`/actions/${held.key}/decide`, { decision: 'succeed', reason: 'sent', version: held.version + 1 });
    await page.reload();
    await ready(page);
    await expect(page.locator('.keys'), 'nothing is left to decide').toHaveCount(0);
  });

  test.describe('on a telephone', () => {
    test.use({ viewport: { width: 360, height: 800 }, hasTouch: true, isMobile: true });

    test('are not spoken of', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      for (const path of [`/review?key=${held.key}`, `/actions/${held.key}`]) {
        await page.goto(path);
        await ready(page);
        await expect(page.locator('.keys')).toBeHidden();
        await expect(page.locator('.answer kbd').first()).toBeHidden();
      }
    });
  });

  test.describe('for a viewer', () => {
    test.use({ as: 'viewer' });

    test('move and open, and promise nothing else', async ({ page, api }) => {
      const [, second] = await three(api);
      await page.goto('/review');
      await ready(page);
      await expect(page.locator('.keys kbd:visible')).toHaveText(['j', 'k', 'Enter', '?']);
      await page.keyboard.press('?');
      await expect(page.locator('.keylist kbd:visible')).toHaveText(['j', 'k', 'Enter', '?']);
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await expect(row(page, second.key).locator('.row-title')).toHaveAttribute('aria-current', 'true');
    });
  });
});

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('after a decision the row that followed is open', async ({ page, api }) => {
      const [first, second, third] = await three(api);
      await page.goto(`/review?kind=send_email&key=${second.key}`);
      await page.locator('#reason').fill('Lin has paid.');
      await answer(page, 'fail').click();
      await expect(page.locator('main .notice').first()).toContainText('Recorded: given up.');
      await expect(page.locator('main .notice').first()).toContainText(second.summary);
      await expect(open(page)).toHaveValue(third.key);
      await expect(page.locator('#reason'), 'a reason belongs to one action').toHaveValue('');
      await expect(page).toHaveURL(/kind=send_email/);
      await expect(row(page, third.key).locator('.row-title')).toHaveAttribute('aria-current', 'true');
      if (javaScriptEnabled) {
        await expect(page.locator('#open-title')).toBeFocused();
        await page.keyboard.press('k');
        await expect(row(page, first.key).locator('.row-title')).toBeFocused();
      }
    });

    test('who agreed already is told that it was them, and others what their word does', async ({ page, api, pageAs }) => {
      await api.admin.put('/policies/pay_out', { approvals_needed: 2, reason: 'money goes out' });
      const held = await heldMail(api.worker, api.read, { kind: 'pay_out', payload: { amount: 5 } });
      await page.goto(`/actions/${held.key}`);
      await expect(page.locator('.agreed')).toContainText('0 of 2 agree to run it: 2 people must.');
      await page.locator('#reason').fill('I agree.');
      await answer(page, 'retry').click();
      await expect(page.locator('.agreed')).toContainText(/You agreed .*; one more person must agree: 1 of 2 so far\./);
      await expect(page.locator('.agreed')).toContainText('Any other answer counts at once, without a second person.');
      await expect(answer(page, 'retry')).toHaveCount(0);
      const other = await pageAs('second');
      await other.goto(`/review?key=${held.key}`);
      await expect(row(other, held.key)).toContainText(/1 of 2: olga agreed .*connection lost/);
      await expect(other.locator('.agreed')).toContainText(/1 of 2: olga agreed .*\. If you agree too, it is released at once\./);
    });
  });
}

test('what was typed stays with its action when the page is shown anew', async ({ page, api }) => {
  const [first] = await three(api);
  // The queue as it opens by itself: its first one is open, and no key stands in the address.
  await page.goto('/review');
  await live(page);
  await page.locator('#reason').fill('I was about to say.');
  await api.operator.post(`/actions/${first.key}/decide`, { decision: 'fail', reason: 'paid', version: first.version });
  await expect(page.locator('.live-news')).toContainText('This action moved');
  await page.locator('.live-news').getByRole('link', { name: 'Show' }).click();
  await expect(page).toHaveURL(new RegExp(`key=${first.key}`));
  await expect(page.locator('#open-title')).toHaveText(first.summary);
  await page.getByRole('link', { name: 'Review' }).first().click();
  await expect(page.locator('#reason')).toHaveValue('');
});

test('a row says how often it was tried', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  const once = await heldMail(api.worker, api.read);
  await api.operator.post(`/actions/${held.key}/decide`, { decision: 'retry', reason: 'again', version: held.version });
  const claim = await api.worker.post('/actions/claim', held.intent);
  await api.worker.post(`/actions/${held.key}/fail`, { attempt: claim.attempt, error: 'lost again' });
  await page.goto('/review');
  await expect(row(page, held.key)).toContainText('attempt 2');
  await expect(row(page, once.key)).not.toContainText('attempt');
  await page.getByRole('button', { name: 'Select all 2 that match' }).click();
  await expect(page.getByText('Each of them may happen again.')).toBeVisible();
});

test('how many of all that wait are in a narrowed list stands in its heading', async ({ page, api }) => {
  await three(api);
  await heldMail(api.worker, api.read, { kind: 'create_invoice', payload: { n: 1 } });
  await page.goto('/review?kind=send_email');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 of 4 wait for a person');
  await page.goto('/review?kind=create_invoice');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('1 of 4 waits for a person');
  await page.goto('/review');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('4 actions wait for a person');
});

for (const width of [360, 1360]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({ viewport: { width, height: 880 }, colorScheme });

      test('a row that moved shows that and its own words', async ({ page, api, accessible }) => {
        const [, second] = await three(api);
        await page.goto('/review');
        await live(page);
        await api.operator.post(`/actions/${second.key}/decide`, { decision: 'fail', reason: 'paid', version: second.version });
        const mark = row(page, second.key).locator('.moved-mark');
        await expect(mark).toHaveText('Changed: now failed, by olga');
        // The words of no row lie under it.
        const over = await mark.boundingBox();
        for (const words of await page.locator('.row-title bdi, .row-meta, .row-why').all()) {
          const box = await words.boundingBox();
          const apart = over !== null && box !== null && (box.y + box.height <= over.y + 0.5 || box.y >= over.y + over.height - 0.5);
          expect(apart, `it covers: ${await words.textContent()}`).toBe(true);
        }
        await look(page, `moved-${colorScheme}-${width}`);
        await accessible(page);
      });

      test('the rows of a selection that moved are marked while it is looked at', async ({ page, api, accessible }) => {
        const [first, second, third] = await three(api);
        await page.goto('/review');
        await page.getByRole('button', { name: 'Select all 3 that match' }).click();
        await live(page);
        const places = async (): Promise<unknown> =>
          await page.locator('.answer, .rows .row').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
        const before = await places();
        for (const one of [first, third]) {
          await api.operator.post(`/actions/${one.key}/decide`, { decision: 'fail', reason: 'paid', version: one.version });
        }
        await expect(row(page, third.key)).toContainText('Changed: now failed, by olga; not decided on');
        await expect(page.locator('.moved-count')).toHaveText('2 below moved meanwhile: they will be told as changed, and not decided on.');
        await expect(row(page, second.key)).not.toContainText('Changed');
        expect(await places()).toEqual(before);
        await look(page, `selection-${colorScheme}-${width}`);
        await accessible(page);
        await page.locator('#reason').fill('The provider is back.');
        await answer(page, 'retry').click();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText('1 retried, 2 changed meanwhile, 0 refused: 3 in all');
        await expect(page.locator('.moved-mark')).toHaveCount(0);
      });
    });
  }
}

test.describe('a decision whose answer does not come', () => {
  // What the browser itself says of a line that is cut.
  test.use({ settings: { HOLDPOINT_ALLOWED_HOSTS: '127.0.0.1' }, allowedErrors: /net::ERR_|Failed to (load resource|fetch)/ });

  test('keeps its page and its reason, and is sent again by the same button', async ({ page, server, api, accessible }) => {
    const line = await Line.to(server.url);
    const [first, second] = await three(api);
    await page.goto(`http://127.0.0.1:${line.port}/review?key=${first.key}`);
    await live(page);
    await page.locator('#reason').fill('I am sure & certain: 100 %.\nLin has paid.');
    line.cut();
    await answer(page, 'fail').click();
    await expect(page.locator('.sending')).toContainText('nothing is known of this decision yet');
    await expect(page.locator('#reason')).toHaveValue('I am sure & certain: 100 %.\nLin has paid.');
    await look(page, 'no-answer');
    await accessible(page);
    expect(await decisions(api, first.key)).toHaveLength(0);
    line.mend();
    await answer(page, 'fail').click();
    await expect(page.locator('main .notice').first()).toContainText('Recorded: given up.');
    const told = (await decisions(api, first.key)) as { reason: string }[];
    expect(told.map(({ reason }) => reason)).toEqual(['I am sure & certain: 100 %.\nLin has paid.']);
    await expect(open(page)).toHaveValue(second.key);
    await expect(page.locator('#reason'), 'it does not come back on another action').toHaveValue('');
    await page.goto(`http://127.0.0.1:${line.port}/actions/${second.key}`);
    await expect(page.locator('#reason')).toHaveValue('');
    await line.close();
  });

  for (const [then, told] of [['fail', 'Recorded: given up.'], ['retry', 'You have decided this already.']] as const) {
    test(`was taken all the same: ${then} after that is told so`, async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await ready(page);
      // It arrives, and its answer is lost.
      await page.route('**/_fn/decide', async (route) => {
        await route.fetch({ maxRedirects: 0 });
        await route.abort('connectionreset');
      }, { times: 1 });
      await page.locator('#reason').fill('Lin has paid.');
      await answer(page, 'fail').click();
      await expect(page.locator('.sending')).toContainText('nothing is known of this decision yet');
      await answer(page, then).click();
      await expect(page.locator('main .notice').first()).toContainText(told);
      await expect(page.locator('main')).not.toContainText('It changed while you were deciding');
      expect(await decisions(api, held.key)).toHaveLength(1);
      expect((await api.read.get(`/actions/${held.key}`)).status).toBe('failed');
    });
  }

  test('and the text of another tab stays with its own action', async ({ page, context, server, api }) => {
    const line = await Line.to(server.url);
    const [first, second] = await three(api);
    const other = await context.newPage();
    for (const [tab, held, text] of [[page, first, 'The first.'], [other, second, 'The second.']] as const) {
      await tab.goto(`http://127.0.0.1:${line.port}/review?key=${held.key}`);
      await ready(tab);
      await tab.locator('#reason').fill(text);
    }
    line.cut();
    for (const tab of [page, other]) {
      await answer(tab, 'fail').click();
      await expect(tab.locator('.sending')).toContainText('nothing is known');
    }
    line.mend();
    for (const tab of [other, page]) {
      await answer(tab, 'fail').click();
      await expect(tab.locator('main .notice').first()).toContainText('Recorded: given up.');
    }
    for (const [held, text] of [[first, 'The first.'], [second, 'The second.']] as const) {
      expect(await decisions(api, held.key)).toMatchObject([{ reason: text }]);
    }
    await line.close();
  });

  test('may be sent again where the server is only slow', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read);
    await page.clock.install();
    await page.goto(`/actions/${held.key}`);
    await ready(page);
    let asked = 0;
    await page.route('**/_fn/decide', async (route) => {
      asked += 1;
      if (asked > 1) await route.continue();
    });
    await page.locator('#reason').fill('Lin has paid.');
    await answer(page, 'fail').click();
    await page.clock.fastForward(2_000);
    await expect(page.locator('.sending')).toHaveText('Sending your decision…');
    await answer(page, 'fail').click();
    expect(asked, 'it is on its way').toBe(1);
    await page.clock.fastForward(20_000);
    await expect(page.locator('.sending')).toContainText('No answer yet');
    await answer(page, 'fail').click();
    await expect(page.locator('main .notice').first()).toContainText('Recorded: given up.');
    expect(await decisions(api, held.key)).toHaveLength(1);
  });

  test('a selection is decided once as well', async ({ page, server, api }) => {
    const line = await Line.to(server.url);
    const all = await three(api);
    await page.goto(`http://127.0.0.1:${line.port}/review`);
    await page.getByRole('button', { name: 'Select all 3 that match' }).click();
    await live(page);
    await page.locator('#reason').fill('Lin has paid.');
    line.cut();
    await answer(page, 'fail').click();
    await expect(page.locator('.sending')).toContainText('nothing is known');
    await expect(page.locator('#reason')).toHaveValue('Lin has paid.');
    line.mend();
    await answer(page, 'fail').click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 given up, 0 changed meanwhile, 0 refused: 3 in all');
    for (const { key } of all) expect(await decisions(api, key)).toHaveLength(1);
    await line.close();
  });
});
