// What was typed and is not sent stays with its tab: for one person, of one action, until it is decided.

import { heldMail } from './actions.ts';
import { expect, people, signIn, test } from './fixtures.ts';

test.use({ allowedErrors: /status of (401|409|422)/ });

test('a reason outlives a look at another row, a page loaded anew and a conflict, and ends with its decision', async ({ page, api }) => {
  const first = await heldMail(api.worker, api.read);
  const second = await heldMail(api.worker, api.read);
  const reason = page.locator('#reason');
  const opened = async (key: string): Promise<void> => await expect(page.locator('#decide-form input[name="key"]')).toHaveValue(key);
  await page.goto('/review');
  await opened(first.key);
  await reason.fill('Not in the outbox: 100 %.');
  await page.getByText('you have the provider’s answer').click();
  await page.locator('#result').fill('<7@example.com>');

  await page.getByRole('link', { name: second.summary }).click();
  await opened(second.key);
  await expect(reason, 'it was typed for another one').toHaveValue('');
  await page.getByRole('link', { name: first.summary }).click();
  await opened(first.key);
  await expect(reason).toHaveValue('Not in the outbox: 100 %.');
  await expect(page.locator('#result'), 'it is not folded away').toBeVisible();
  await expect(page.locator('#result')).toHaveValue('<7@example.com>');
  await page.locator('#result').fill('');

  await api.admin.post(`/actions/${first.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: first.version });
  await page.locator('button[name="decision"][value="retry"]').click();
  await expect(page.locator('.notice:visible')).toContainText('It changed while you were deciding.');
  await page.reload();
  await expect(reason).toHaveValue('Not in the outbox: 100 %.');
  await expect(page.locator('#result')).toBeHidden();

  await page.locator('button[name="decision"][value="retry"]').click();
  await expect(page.locator('.notice:visible')).toContainText('Recorded: run it once more.');
  const claim = await api.worker.post('/actions/claim', first.intent);
  await api.worker.post(`/actions/${first.key}/fail`, { attempt: claim.attempt, error: 'lost again' });
  await page.goto(`/actions/${first.key}`);
  await opened(first.key);
  await expect(page.locator('html')).toHaveAttribute('data-live', '');
  await expect(reason, 'it was said already').toHaveValue('');
});

for (const how of ['signs out', 'is signed out'] as const) {
  test(`what somebody typed who ${how} is in nobody else’s form`, async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read);
    await page.goto(`/actions/${held.key}`);
    await page.locator('#reason').fill('I asked Lin myself.');
    if (how === 'signs out') {
      await page.locator('.side-body .user > summary').click();
      await page.locator('.side-body').getByRole('button', { name: 'Sign out' }).click();
      await expect(page).toHaveURL(/login/);
      expect(await page.evaluate(() => Object.keys(sessionStorage).filter((name) => name.includes('draft')))).toEqual([]);
    } else {
      await page.context().clearCookies();
    }
    await signIn(page, 'second');
    await page.goto(`/actions/${held.key}`);
    await expect(page.locator('#decide-form input[name="by"]')).toHaveValue(people.second.name);
    await expect(page.locator('html')).toHaveAttribute('data-live', '');
    await expect(page.locator('#reason')).toHaveValue('');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('I asked Lin myself.');
  });
}

test('a reason that is too long is refused whole, and stays as it was typed', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  const long = `${'x'.repeat(2000)}!`;
  await page.goto(`/actions/${held.key}`);
  await page.locator('#reason').fill(long);
  await page.locator('button[name="decision"][value="retry"]').click();
  await expect(page.locator('.notice:visible')).toContainText('2,000');
  await expect(page.locator('#reason')).toHaveValue(long);
  expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
});
