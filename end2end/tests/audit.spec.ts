// What was done is told in sentences, filtered, paged both ways and taken out; with and without a script.

import { readFile } from 'node:fs/promises';
import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a decision stands there with who, why and by which means, and leads to its action', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill('Not in the outbox.');
      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.notice').first()).toContainText('Recorded');

      await page.locator('.side-body').getByRole('link', { name: 'Audit' }).click();
      const line = page.locator('tbody tr').first();
      await expect(line).toContainText('olga allowed one more attempt of send_email to');
      await expect(line).toContainText('Not in the outbox.');
      await expect(line).toContainText('browser');
      await line.getByRole('link', { name: 'the action' }).click();
      await expect(page).toHaveURL(`/actions/${held.key}`);
    });

    test('it is filtered and paged both ways, and the file holds what the filter shows', async ({ page, api }) => {
      for (let n = 0; n < 60; n += 1) await api.operator.post('/pause', { reason: `reason ${n}` });
      await api.operator.post('/resume', { reason: 'all is well' });
      await page.goto('/audit');
      await page.getByLabel('What', { exact: true }).selectOption('paused');
      await page.getByLabel('By whom').fill('olga');
      await page.getByRole('button', { name: 'Filter' }).click();
      const rows = page.locator('tbody tr');
      await expect(rows).toHaveCount(50);
      await expect(rows.first()).toContainText('reason 59');
      await page.getByRole('link', { name: 'Older' }).click();
      await expect(rows).toHaveCount(10);
      await expect(rows.last()).toContainText('reason 0');
      await page.getByRole('link', { name: 'Newer' }).click();
      await expect(rows.first()).toContainText('reason 59');
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'CSV' }).click();
      const file = await downloading;
      expect(file.suggestedFilename()).toMatch(/^holdpoint-audit-\d{4}-\d\d-\d\d\.csv$/);
      const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
      expect(lines).toHaveLength(62);
    });
  });
}

test('who is no admin does not see who signs in', async ({ page, pageAs }) => {
  await page.goto('/audit');
  await expect(page.getByLabel('What', { exact: true }).locator('option[value="signed_in"]')).toHaveCount(0);
  const admin = await pageAs('admin');
  await admin.goto('/audit?event=signed_in');
  await expect(admin.locator('tbody tr').first()).toContainText('signed in.');
  await expect(admin.locator('tbody tr').first()).toContainText('127.0.0.1');
});

looks('audit', 'admin', async (page, api) => {
  await page.goto('/audit?actor=nobody-of-this-name');
  await page.goto('/audit');
  const held = await heldMail(api.worker, api.read);
  const seen = await api.read.get(`/actions/${held.key}`);
  await api.operator.post(`/actions/${held.key}/decide`, {
    decision: 'retry', version: seen.version, reason: 'The provider says that it never arrived, and the customer waits for it.',
  });
  await api.admin.put('/policies/create_invoice', { recovery: 'verifiable', hold_deadline_s: 259200, reason: 'can be asked' });
  await api.operator.post('/pause', { reason: 'The mail server is being moved.' });
  await api.operator.post('/resume', { reason: 'It has moved.' });
  await api.admin.post('/tokens', { name: 'grafana', scope: 'read' });
  await api.admin.ask('DELETE', '/tokens/grafana', { reason: 'not needed any more' });
  await api.admin.ask('PATCH', '/operators/omar', { role: 'viewer' });
  await api.admin.ask('GET', '/export?format=csv&kind=send_email');
  await page.request.post('/login', {
    form: { name: 'amir', password: 'a false one' }, headers: { origin: new URL(page.url()).origin }, maxRedirects: 0,
  });
  return { audit: '/audit', 'audit-empty': '/audit?actor=nobody-of-this-name' };
});
