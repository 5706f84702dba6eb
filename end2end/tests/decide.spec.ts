// The main job in the browser: a held mail is seen, decided, and what follows is what the person said.

import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('retry makes a held mail claimable, and it is sent once', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      const refused = await api.worker.ask('POST', '/actions/claim', held.intent);
      expect(refused.status).toBe(409);

      await page.goto('/review');
      await page.getByRole('link', { name: held.summary }).first().click();
      await expect(page.getByText('may get this mail a second time')).toBeVisible();
      await page.locator('textarea[name="reason"]').fill('Not in the outbox of the mail server.');
      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.notice')).toBeVisible();

      const claim = await api.worker.ask('POST', '/actions/claim', held.intent);
      expect(claim.status).toBe(201);
      expect(claim.body.attempt).toBe(2);
      await api.worker.post(`/actions/${held.key}/succeed`, { attempt: 2, result: 'sent' });
      const again = await api.worker.ask('POST', '/actions/claim', held.intent);
      expect([again.status, again.body.result]).toEqual([200, 'sent']);

      await page.goto(`/actions/${held.key}`);
      await expect(page.getByText('Not in the outbox of the mail server.')).toBeVisible();
    });

    test('fail ends a held mail: it is never sent', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill('Lin has paid.');
      await page.locator('button[name="decision"][value="fail"]').click();
      await expect(page.locator('.notice')).toBeVisible();

      const claim = await api.worker.ask('POST', '/actions/claim', held.intent);
      expect([claim.status, claim.body.outcome, claim.body.may_have_applied]).toEqual([409, 'failed', true]);
      const action = await api.read.get(`/actions/${held.key}`);
      expect([action.status, action.settled_by]).toEqual(['failed', 'person']);
    });

    test('succeed records what was seen as the result', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill('It is in the outbox.');
      await page.locator('details.more > summary').click();
      await page.locator('textarea[name="result"]').fill('{"message_id":"<7@example.com>"}');
      await page.locator('button[name="decision"][value="succeed"]').click();
      await expect(page.locator('.notice')).toBeVisible();
      const claim = await api.worker.ask('POST', '/actions/claim', held.intent);
      expect([claim.status, claim.body.result]).toEqual([200, { message_id: '<7@example.com>' }]);
    });

    test('case D47/D12: a stale page decides nothing and keeps the typed reason', async ({ page, api }) => {
      const held = await heldMail(api.worker, api.read);
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill('I am sure & certain: 100 %.');
      await api.operator.post(`/actions/${held.key}/decide`, { decision: 'fail', reason: 'Lin has paid.', version: held.version });

      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.notice')).toContainText(/changed|moved|meanwhile/i);
      await expect(page.locator('.notice')).toContainText('olga');
      await expect(page.locator('textarea[name="reason"]')).toHaveValue('I am sure & certain: 100 %.');
      expect((await api.read.get(`/actions/${held.key}`)).status).toBe('failed');
    });

    test('with two approvals needed one person alone releases nothing', async ({ page, api }) => {
      await api.admin.put('/policies/pay_out', { approvals_needed: 2, reason: 'money goes out' });
      const held = await heldMail(api.worker, api.read, { kind: 'pay_out', payload: { amount: 5 } });
      await page.goto(`/actions/${held.key}`);
      await page.locator('textarea[name="reason"]').fill('I agree.');
      await page.locator('button[name="decision"][value="retry"]').click();
      await expect(page.locator('.agreed')).toContainText('1 of 2');
      expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
    });
  });
}

test('a double click decides once', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  await page.goto(`/actions/${held.key}`);
  await page.locator('textarea[name="reason"]').fill('Twice is once.');
  await page.locator('button[name="decision"][value="retry"]').dblclick();
  await expect(page.locator('.notice')).toBeVisible();
  const { history } = await api.read.get(`/actions/${held.key}`);
  expect(history.filter((event: { event: string }) => event.event === 'decided')).toHaveLength(1);
});

test.describe('as a viewer', () => {
  test.use({ as: 'viewer' });

  test('there is no button that decides, and the form behind it refuses', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read);
    await page.goto(`/actions/${held.key}`);
    await expect(page.locator('button[name="decision"]')).toHaveCount(0);
    const answer = await page.request.post('/_fn/decide', {
      form: { key: held.key, version: String(held.version), decision: 'retry', reason: 'sneaky' },
      headers: { accept: 'text/html', origin: new URL(page.url()).origin },
      maxRedirects: 0,
    });
    expect([answer.status(), answer.headers()['location']]).toEqual([403, undefined]);
    expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
  });
});
