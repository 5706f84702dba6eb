// Whoever is signed out while they decide loses nothing: the way in says that nothing was decided, and leads back to
// the same case with what they typed.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { heldMail } from './actions.ts';
import { expect, password, people, test } from './fixtures.ts';

const shots = join(import.meta.dirname, '../test-results/signed-out');
const reason = 'Not in the outbox of <Lin> & co: 100 %.';

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled, allowedErrors: /status of (401|409)/ });

    test('a decision of an ended session is made after signing in, with what was typed', async ({ page, context, api, accessible }) => {
      await heldMail(api.worker, api.read);
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/review?key=${held.key}`);
      await page.locator('textarea[name="reason"]').fill(reason);
      const sessions = await context.cookies();
      await context.clearCookies();
      await page.locator('button[name="decision"][value="retry"]').click();

      await expect(page.locator('.notice:visible')).toContainText('Nothing was decided');
      expect(page.url()).not.toContain('outbox');
      await expect(page.getByLabel('Name')).toHaveValue(people.operator.name);
      await page.getByText('What you typed', { exact: true }).click();
      await expect(page.locator('textarea[name="kept_reason"]')).toHaveValue(reason);
      // axe runs as a script of the page.
      if (javaScriptEnabled) await accessible(page);
      await mkdir(shots, { recursive: true });
      await page.setViewportSize({ width: 360, height: 800 });
      await page.screenshot({ path: join(shots, `door-${javaScriptEnabled}.png`), fullPage: true });
      await page.setViewportSize({ width: 1360, height: 880 });

      await page.getByLabel('Password').fill('a wrong one for tests');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.locator('.notice:visible')).toContainText('did not fit');
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();

      await expect(page.locator('.notice:visible')).toContainText('Nothing was decided yet.');
      await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(held.key);
      await expect(page.locator('#reason')).toHaveValue(reason);
      if (javaScriptEnabled) await accessible(page);
      await page.screenshot({ path: join(shots, `back-${javaScriptEnabled}.png`) });
      expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
      expect(sessions.length).toBeGreaterThan(0);

      await page.locator('button[name="decision"][value="retry"]').dblclick();
      await expect(page.locator('.notice:visible')).toContainText('Recorded: run it once more.');
      // Neither the way back nor the page loaded anew decides again.
      await page.goBack();
      await expect(page.locator('#decide-form, .notice:visible').first()).toBeVisible();
      await page.goForward();
      await page.reload();
      const { status, history } = await api.read.get(`/actions/${held.key}`);
      expect(status).toBe('released');
      const decided = history.filter((event: { event: string }) => event.event === 'decided');
      expect(decided.map((event: { reason: string }) => event.reason)).toEqual([reason]);
    });

    test('a refused decision keeps what was typed, out of the address', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill(reason);
      await api.admin.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: held.version });
      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.notice:visible')).toContainText('It changed while you were deciding.');
      await expect(page.locator('#reason')).toHaveValue(reason);
      expect(decodeURIComponent(page.url())).not.toContain('outbox');
      await page.screenshot({ path: join(shots, `refused-${javaScriptEnabled}.png`), fullPage: true });
      await page.reload();
      // A script has given the page its own address; without one the form is sent anew, and refused anew.
      await expect(page.locator('#reason')).toHaveValue(reason);
      if (javaScriptEnabled) await expect(page).toHaveURL(new RegExp(`/actions/${held.key}$`));
      else await expect(page.locator('.notice:visible')).toContainText('It changed while you were deciding.');
      expect((await api.read.get(`/actions/${held.key}`)).status).toBe('failed');
    });
  });
}
