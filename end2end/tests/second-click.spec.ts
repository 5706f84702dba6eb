// The second click of a double click, or an impatient one, was meant for the page before: it decides nothing on the one
// that came under the pointer.

import type { CDPSession, Page } from '@playwright/test';
import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';

test.use({ allowedErrors: /status of 409/, viewport: { width: 1360, height: 1400 } });

const answer = (page: Page, value: string) => page.locator(`button[name="decision"][value="${value}"]`);

/** How fast the page's own time goes: at 0 a page that comes stays as it is in its first moment. */
async function pace(page: Page, playbackRate: number, session?: CDPSession): Promise<CDPSession> {
  const on = session ?? (await page.context().newCDPSession(page));
  await on.send('Animation.enable');
  await on.send('Animation.setPlaybackRate', { playbackRate });
  return on;
}

/** Presses where each answer stands, as a mouse does that aims at nothing. */
async function pressThemAll(page: Page): Promise<void> {
  const answers = page.locator('button[name="decision"]');
  await expect(answers.first()).toBeVisible();
  for (const one of await answers.all()) {
    await expect(one).toBeInViewport({ ratio: 1 });
    const box = await one.boundingBox();
    if (box) await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  }
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('after a refusal it gives no other answer, and each answer keeps its place', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await page.locator('#reason').fill('Lin asked for it.');
      await api.admin.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: held.version });
      await answer(page, 'fail').click({ trial: true });
      const session = await pace(page, 0);
      await answer(page, 'fail').click({ force: true });
      await expect(page.locator('.notice:visible')).toContainText('It changed while you were deciding.');
      await expect(page.locator('#reason')).toHaveValue('Lin asked for it.');
      await expect(page.locator('.answers > *').nth(1)).toHaveText('Given up already.');
      await pressThemAll(page);
      const action = await api.read.get(`/actions/${held.key}`);
      expect([action.status, action.version]).toEqual(['failed', held.version + 1]);

      await pace(page, 1, session);
      await answer(page, 'retry').click();
      await expect(page.locator('.notice:visible')).toContainText('Recorded: run it once more.');
    });
  });
}

test('it does not decide on the row that follows, whose reason was typed before', async ({ page, api }) => {
  const first = await heldMail(api.worker, api.read);
  const second = await heldMail(api.worker, api.read);
  const opened = async (key: string): Promise<void> => await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(key);
  await page.goto(`/review?key=${second.key}`);
  await expect(page.locator('html')).toHaveAttribute('data-live', '');
  await page.locator('#reason').fill('Not looked at yet.');
  await expect(page.locator('[data-drafted]')).toBeHidden();
  await page.getByRole('link', { name: first.summary }).click();
  await opened(first.key);
  await page.locator('#reason').fill('Not in the outbox.');
  await answer(page, 'succeed').click({ trial: true });
  const session = await pace(page, 0);
  await answer(page, 'succeed').click({ force: true });
  await opened(second.key);
  await expect(page.locator('#reason')).toHaveValue('Not looked at yet.');
  await expect(page.getByText('You typed this here before, and did not send it.')).toBeVisible();
  await pressThemAll(page);
  expect((await api.read.get(`/actions/${first.key}`)).status).toBe('succeeded');
  expect((await api.read.get(`/actions/${second.key}`)).status).toBe('held');

  await page.locator('#reason').pressSequentially(' Now it is.');
  await expect(page.locator('[data-drafted]')).toBeHidden();
  await pace(page, 1, session);
  await answer(page, 'fail').click();
  await expect(page.locator('.notice:visible')).toContainText('Recorded: given up.');
});

test('keys decide at once: they are aimed at no place', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await pace(page, 0);
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-live', '');
  await page.locator('#reason').fill('Lin has paid.');
  await answer(page, 'fail').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('.notice:visible')).toContainText('Recorded: given up.');
});
