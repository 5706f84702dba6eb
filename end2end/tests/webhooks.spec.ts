// A webhook is made, its secret shown once, tried, changed and taken away in the browser, with and without a script.

import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

const key = Buffer.alloc(32, 7).toString('base64');
const settings = { HOLDPOINT_SECRET_KEY: key, HOLDPOINT_ALLOW_PRIVATE_WEBHOOKS: 'true' };

test.use({ as: 'admin', settings });

/** Somebody who is told, and answers with this status. */
const receiver = async (status: number): Promise<{ url: string; told: string[]; close: () => void }> => {
  const told: string[] = [];
  const server = createServer((request, response) => {
    told.push(String(request.headers['webhook-id']));
    response.writeHead(status).end();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, told, close: () => server.close() };
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled });

    test('a webhook is made, its secret shown this once, tried, changed and taken away', async ({ page, server }) => {
      const chat = await receiver(204);
      await page.goto('/');
      await page.locator('.side-body').getByRole('link', { name: 'Webhooks' }).click();
      const form = page.locator('#make');
      await expect(form.getByLabel('an action begins to wait for a person')).toBeChecked();
      await form.getByLabel('Goes to').fill('ftp://example.com/');
      await form.getByLabel('Only these kinds').fill('send_email');
      await form.getByRole('button', { name: 'Make it' }).click();
      await expect(form.locator('.error')).toContainText('This server does not send there');
      await expect(form.getByLabel('Only these kinds')).toHaveValue('send_email');

      await form.getByLabel('Goes to').fill(chat.url);
      await form.getByRole('button', { name: 'Make it' }).click();
      const secret = await page.locator('.token-made input').inputValue();
      expect(secret).toMatch(/^whsec_/);
      expect(page.url()).toBe(`${server.url}/webhooks`);
      await page.getByRole('link', { name: 'I have taken it' }).click();
      expect(await page.content()).not.toContain(secret);

      const row = page.locator('tbody').filter({ hasText: chat.url });
      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Send a test' }).click();
      await expect(page.locator('.notice').first()).toContainText('The test came through');
      expect(chat.told).toHaveLength(1);
      await expect(row).toContainText('Came through');
      await row.getByRole('link', { name: 'Messages' }).click();
      await expect(page.locator('#messages')).toContainText('answered 204');

      await row.locator('summary').click();
      await row.getByLabel('Messages are').selectOption('false');
      await row.getByRole('button', { name: 'Save' }).click();
      await expect(page.locator('.notice').first()).toContainText('Nothing is sent to it');
      await expect(row).toContainText('Off');

      await row.locator('summary').click();
      await row.getByRole('button', { name: 'Take it away for good' }).click();
      await expect(page.locator('.notice').first()).toContainText('The webhook is taken away.');
      await expect(page.locator('tbody')).toHaveCount(0);
      chat.close();
    });
  });
}

test('the page of webhooks is accessible, its forms and its messages too', async ({ page, accessible, api }) => {
  const chat = await receiver(500);
  const { id } = await api.admin.post('/webhooks', { url: chat.url, events: ['held', 'failed'] });
  await api.admin.post(`/webhooks/${id}/test`, {});
  await page.goto(`/webhooks?messages=${id}&problem=url&which=${id}`);
  await expect(page.locator('#messages')).toContainText('500');
  await accessible(page);
  await page.locator('#make').getByLabel('Goes to').fill('https://1.1.1.1/hook');
  await page.locator('#make').getByRole('button', { name: 'Make it' }).click();
  await accessible(page);
  chat.close();
});

looks('webhooks', 'admin', async (page, api) => {
  const chat = await receiver(500);
  const { id } = await api.admin.post('/webhooks', { url: chat.url, events: ['held', 'failed'], kinds: ['send_email'] });
  await api.admin.post(`/webhooks/${id}/test`, {});
  await api.admin.post(`/webhooks/${id}/rotate`, {});
  await api.admin.post('/webhooks', { url: 'https://1.1.1.1/services/T0000/B0000/a-rather-long-path-that-does-not-fit', events: ['paused'], enabled: false });
  chat.close();
  await page.goto('/webhooks');
  return { webhooks: '/webhooks', 'webhooks-messages': `/webhooks?messages=${id}`, 'webhooks-wrong': `/webhooks?problem=events&which=${id}` };
}, settings);
