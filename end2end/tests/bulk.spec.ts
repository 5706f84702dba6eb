// Many at once: selected, seen, decided once, and answered row by row.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { heldMail } from './actions.ts';
import { type Api, expect, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/bulk');

interface Made {
  key: string;
  intent: Record<string, unknown>;
}

/** So many holds of a kind, claimed in batches: nobody knows whether they happened. */
async function holds(worker: Api, kind: string, many: number, run = `outage-${kind}`): Promise<Made[]> {
  const intents = Array.from({ length: many }, (_, n) => ({
    run_id: run, step: n, kind, target: `customer-${n % 40}@example.com`, payload: { n, kind }, summary: `${kind} ${run} no ${n}`,
  }));
  const { answers } = await worker.post('/actions/claim-batch', { intents });
  const keys: string[] = answers.map((answer: { key: string }) => answer.key);
  for (let at = 0; at < keys.length; at += 20) {
    await Promise.all(keys.slice(at, at + 20).map(async (key) =>
      await worker.post(`/actions/${key}/fail`, { attempt: 1, error: '421 too many connections' })));
  }
  return keys.map((key, n) => ({ key, intent: intents[n] ?? {} }));
}

async function look(page: Page, name: string): Promise<void> {
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect(wider, `${name} is wider than the window`).toBeLessThanOrEqual(0);
}

const decide = async (page: Page, decision: string, reason = 'The provider is back.'): Promise<void> => {
  await page.locator('textarea[name="reason"]').fill(reason);
  await page.locator(`button[name="decision"][value="${decision}"]`).click();
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('case D09: all that match are frozen, seen, and decided row by row', async ({ page, api }) => {
      test.setTimeout(120_000);
      const mails = await holds(api.worker, 'send_email', 180);
      const invoices = await holds(api.worker, 'create_invoice', 50);
      await page.goto('/review?kind=send_email');
      await expect(page.locator('.rows .row')).toHaveCount(50);
      await page.getByRole('button', { name: 'Select all 180 that match' }).click();
      await expect(page).toHaveURL(/\/review\/selection\/[0-9a-f]{32}$/);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decide on 180 actions together');
      await expect(page.locator('.tally').first()).toHaveText(/send_email\s*180/);
      await expect(page.getByText('Each of them may happen a second time')).toBeVisible();
      await expect(page.locator('select[name="spread_s"] option:checked')).toHaveText('over 5 minutes');
      await expect(page.locator('button[name="decision"][autofocus], button.is-main[name="decision"]')).toHaveCount(0);

      // While it is looked at five more get stuck, and three are settled by their worker.
      const newcomers = await holds(api.worker, 'send_email', 5, 'later');
      for (const mail of mails.slice(10, 13)) await api.worker.post(`/actions/${mail.key}/succeed`, { attempt: 1, result: 'sent' });

      await page.locator('select[name="spread_s"]').selectOption('0');
      await decide(page, 'retry');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('177 retried, 3 changed meanwhile, 0 refused: 180 in all');
      await expect(page.getByText('Allowed to run again: 177.')).toBeVisible();
      await page.getByRole('link', { name: 'Changed meanwhile 3' }).click();
      await expect(page.locator('.rows .row')).toHaveCount(3);
      await expect(page.locator('.rows .row').first()).toContainText('succeeded by');
      for (const { key } of [...newcomers, ...invoices.slice(0, 3)]) {
        expect((await api.read.get(`/actions/${key}`)).status).toBe('held');
      }
      const stats = await api.read.get('/stats');
      expect(stats.by_status.held.count ?? stats.by_status.held).toBe(55);

      // The one name that all of them share stands in the history of each.
      const id = page.url().match(/[0-9a-f]{32}/)?.[0] ?? '';
      const { history } = await api.read.get(`/actions/${mails[0]?.key}`);
      expect(history.at(-1)).toMatchObject({ event: 'decided', by: 'olga', detail: `retry, selection ${id}` });
    });

    test('case D47: what was ticked is what is decided on, in the version that was shown', async ({ page, api }) => {
      const [first, second, third] = [
        await heldMail(api.worker, api.read), await heldMail(api.worker, api.read), await heldMail(api.worker, api.read),
      ];
      await page.goto('/review');
      await page.getByRole('checkbox', { name: first.summary }).check();
      await page.getByRole('checkbox', { name: third.summary }).check();
      // The list moves on behind the page: one of them is decided on, run and held again, and others arrive.
      await api.operator.post(`/actions/${first.key}/decide`, { decision: 'retry', reason: 'It did not go out.', version: first.version });
      await api.worker.post('/actions/claim', first.intent);
      await api.worker.post(`/actions/${first.key}/fail`, { attempt: 2, error: 'hung up again' });
      await heldMail(api.worker, api.read);

      await page.getByRole('button', { name: 'Decide on the selected' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Decide on 2 actions together');
      await expect(page.getByText('1 of them has moved since you selected them.')).toBeVisible();
      await decide(page, 'fail');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('1 given up, 1 changed meanwhile, 0 refused: 2 in all');
      expect((await api.read.get(`/actions/${first.key}`)).status).toBe('held');
      expect((await api.read.get(`/actions/${second.key}`)).status).toBe('held');
      expect((await api.read.get(`/actions/${third.key}`)).status).toBe('failed');
    });

    test('case D59: a retry that was asked for is not told as a success', async ({ page, api }) => {
      const invoices = await holds(api.worker, 'create_invoice', 12);
      await page.goto('/review');
      await page.getByRole('button', { name: 'Select all 12 that match' }).click();
      await decide(page, 'retry');
      const lead = page.locator('.head .sub');
      await expect(lead).toHaveText('Allowed to run again: 12. So far 0 succeeded, 12 wait for a worker.');
      for (const { intent, key } of invoices) {
        const claim = await api.worker.post('/actions/claim', intent);
        await api.worker.post(`/actions/${key}/fail`, { attempt: claim.attempt, error: 'bad API key' });
      }
      await page.reload();
      await expect(lead).toHaveText('Allowed to run again: 12. So far 0 succeeded, 12 ran and wait for a person again.');
      await page.goto('/review');
      await page.getByRole('button', { name: 'Select all 12 that match' }).click();
      await decide(page, 'retry');
      await expect(lead).toHaveText('Allowed to run again: 12. So far 0 succeeded, 12 wait for a worker.');
      for (const [n, { intent, key }] of invoices.entries()) {
        const { attempt } = await api.worker.post('/actions/claim', intent);
        if (n < 5) await api.worker.post(`/actions/${key}/succeed`, { attempt });
        else await api.worker.post(`/actions/${key}/fail`, { attempt, error: 'bad API key' });
      }
      await page.reload();
      await expect(lead).toHaveText('Allowed to run again: 12. So far 5 succeeded, 7 ran and wait for a person again.');
    });

    test('what is not alike is said, with the ways to what is', async ({ page, api }) => {
      await holds(api.worker, 'send_email', 3);
      await holds(api.worker, 'create_invoice', 2);
      await page.goto('/review');
      await page.getByRole('button', { name: 'Select all 5 that match' }).click();
      await expect(page.getByText('These are not alike: 2 kinds.')).toBeVisible();
      await page.getByRole('navigation', { name: 'Narrow' }).getByRole('link', { name: 'create_invoice 2' }).click();
      await expect(page).toHaveURL(/\/review\?kind=create_invoice$/);
      await page.getByRole('button', { name: 'Select all 2 that match' }).click();
      await expect(page.getByText('These are not alike')).toHaveCount(0);
    });

    test('a decision that is refused keeps the typed reason', async ({ page, api }) => {
      await holds(api.worker, 'send_email', 2);
      await page.goto('/review');
      await page.getByRole('button', { name: 'Select all 2 that match' }).click();
      const path = new URL(page.url()).pathname;
      const typed = 'I am sure & certain: 100 %.';
      // Blanks are a reason to a browser, and none to the server.
      await decide(page, 'retry', '   ');
      await expect(page.locator('.notice')).toContainText('say why');
      await page.locator('textarea[name="reason"]').fill(typed);
      const id = path.split('/').at(-1);
      await api.operator.post(`/selections/${id}/decide`, { decision: 'fail', reason: 'Called off.' });
      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.notice')).toContainText('decided before, and otherwise');
      await expect(page.getByText(typed)).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 given up, 0 changed meanwhile, 0 refused: 2 in all');
    });
  });
}

test('a double click, a reload and the back button decide once', async ({ page, api }) => {
  const mails = await holds(api.worker, 'send_email', 3);
  await page.goto('/review');
  await page.getByRole('button', { name: 'Select all 3 that match' }).click();
  await page.locator('textarea[name="reason"]').fill('Twice is once.');
  await page.locator('button[name="decision"][value="retry"]').dblclick();
  const told = '3 retried, 0 changed meanwhile, 0 refused: 3 in all';
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(told);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(told);
  await page.goBack();
  await page.goto(page.url());
  for (const { key } of mails) {
    const { history } = await api.read.get(`/actions/${key}`);
    expect(history.filter((event: { event: string }) => event.event === 'decided')).toHaveLength(1);
  }
});

test('keys and a count help those who select many', async ({ page, api }) => {
  for (let n = 0; n < 3; n += 1) await heldMail(api.worker, api.read);
  await page.goto('/review');
  await expect(page.locator('html')).toHaveAttribute('data-live', '');
  const boxes = page.getByRole('checkbox');
  const bar = page.locator('.selected');
  await expect(bar).toBeHidden();
  await page.keyboard.press('x');
  await expect(boxes.nth(0), 'the row that is open').toBeChecked();
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await expect(boxes.nth(1)).toBeChecked();
  await expect(bar.getByRole('status')).toHaveText('2 selected on this page');
  await page.keyboard.press('x');
  await expect(boxes.nth(1)).not.toBeChecked();
  // A box that has the focus is no field that is typed into.
  await boxes.nth(2).focus();
  await page.keyboard.press('x');
  await expect(boxes.nth(2)).toBeChecked();
  await page.getByRole('button', { name: 'Select the whole page' }).click();
  await expect(bar.getByRole('status')).toHaveText('3 selected on this page');
  await page.locator('h1').click();
  await page.keyboard.press('?');
  await expect(page.locator('.keylist')).toContainText('to decide on several together');
});

test('a selection is its maker’s to decide on, and others may look', async ({ page, api, pageAs }) => {
  await holds(api.worker, 'send_email', 2);
  await page.goto('/review');
  await page.getByRole('button', { name: 'Select all 2 that match' }).click();
  await expect(page.locator('button[name="decision"]')).toHaveCount(3);
  const omar = await pageAs('second');
  await omar.goto(page.url());
  await expect(omar.getByText('who alone decides on it')).toBeVisible();
  await expect(omar.locator('button[name="decision"]')).toHaveCount(0);
});

test.describe('as a viewer', () => {
  test.use({ as: 'viewer', allowedErrors: /403/ });

  test('there is no box, no button, and no selection', async ({ page, api }) => {
    await holds(api.worker, 'send_email', 2);
    const { id } = await api.operator.post('/selections', {});
    await page.goto('/review');
    await expect(page.locator('.rows .row')).toHaveCount(2);
    await expect(page.getByRole('checkbox')).toHaveCount(0);
    await expect(page.getByRole('button', { name: /Select/ })).toHaveCount(0);
    const answer = await page.goto(`/review/selection/${id}`);
    expect(answer?.status()).toBe(403);
  });
});

test.describe('what is gone', () => {
  test.use({ allowedErrors: /404/ });

  test('says so, and gives back what was typed', async ({ page, api }) => {
    await holds(api.worker, 'send_email', 2);
    const { id } = await api.operator.post('/selections', {});
    await page.goto(`/review/selection/${id}`);
    await page.locator('#reason').fill('It did not go out.');
    await page.locator('#decide-form input[name="id"]').evaluate((input: HTMLInputElement) => (input.value = '0'.repeat(32)));
    const answered = page.waitForResponse((answer) => answer.status() === 404 && answer.request().isNavigationRequest());
    await page.locator('button[name="decision"][value="retry"]').click();
    await answered;
    await expect(page.getByText('It did not go out.')).toBeVisible();
    await look(page, 'gone');
  });
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [360, 1360]) {
    test.describe(`${colorScheme} at ${width}`, () => {
      test.use({ colorScheme, viewport: { width, height: 880 } });

      test('the pages of a selection', async ({ page, api, accessible }) => {
        test.setTimeout(120_000);
        const mails = await holds(api.worker, 'send_email', 30);
        await holds(api.worker, 'create_invoice', 4);
        await page.goto('/review?key=');
        await page.getByRole('checkbox').first().check();
        await look(page, `review-${colorScheme}-${width}`);
        await accessible(page);
        await page.getByRole('button', { name: 'Select all 34 that match' }).click();
        await look(page, `mixed-${colorScheme}-${width}`);
        await accessible(page);
        await page.goto('/review?kind=send_email');
        await page.getByRole('button', { name: 'Select all 30 that match' }).click();
        await expect(page).toHaveURL(/\/review\/selection\//);
        await api.worker.post(`/actions/${mails[4]?.key}/succeed`, { attempt: 1 });
        await page.reload();
        await look(page, `preview-${colorScheme}-${width}`);
        await accessible(page);
        await decide(page, 'retry');
        await expect(page.getByRole('heading', { level: 1 })).toContainText('29 retried');
        await look(page, `answer-${colorScheme}-${width}`);
        await accessible(page);
      });
    });
  }
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`going back with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('what was ticked is not ticked on other rows', async ({ page, api }) => {
      await holds(api.worker, 'send_email', 6);
      await page.goto('/review');
      const boxes = page.locator('input[name="key[]"]');
      for (const n of [0, 1, 2]) await boxes.nth(n).check();
      await page.getByRole('button', { name: /^Decide on / }).click();
      await decide(page, 'fail');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('3 given up, 0 changed meanwhile, 0 refused: 3 in all');
      while (new URL(page.url()).pathname !== '/review') await page.goBack();
      await expect(boxes).toHaveCount(3);
      await expect(page.locator('input[name="key[]"]:checked')).toHaveCount(0);
    });
  });
}
