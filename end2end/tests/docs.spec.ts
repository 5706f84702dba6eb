// The page of the API: it reads without a script, and with one it tries a call.

import { scopes } from './people.ts';
import { expect, test } from './fixtures.ts';

test.use({ as: null });

/** One of the tokens that the fixtures made; the API's callers keep theirs to themselves. */
async function readToken(server: { database: { run: (args: string[]) => Promise<string> } }): Promise<string> {
  const printed = await server.database.run(['token', 'create', 'docs', '--scope', scopes[1]]);
  const token = /\bhp_\S+/.exec(printed)?.[0];
  if (token === undefined) throw new Error(`no token was printed: ${printed}`);
  return token;
}

test('the page of the API shows an operation and tries it', async ({ page, server, accessible }) => {
  const elsewhere: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) elsewhere.push(request.url());
  });
  await page.goto('/api/docs');
  await expect(page).toHaveTitle('API · Holdpoint');
  await accessible(page);

  await page.getByRole('navigation', { name: 'Operations' }).getByRole('link', { name: 'GET /api/v1/stats' }).click();
  const operation = page.locator('#read_stats');
  await operation.locator('summary').click();
  await expect(operation).toContainText('Needs the scope read');
  await accessible(page);

  await page.getByRole('textbox', { name: 'Token' }).fill(await readToken(server));
  await operation.getByRole('button', { name: 'Send' }).click();
  await expect(operation.getByRole('status')).toHaveText('200 OK');
  await expect(operation.locator('.docs-answer')).toContainText('"by_status"');
  expect(elsewhere, 'requests to other hosts').toEqual([]);
});

test.describe('a call that is refused', () => {
  // The browser's own lines for what the page shows.
  test.use({ allowedErrors: /status of 401/ });

  test('is shown with what to do', async ({ page }) => {
    await page.goto('/api/docs#read_action');
    const operation = page.locator('#read_action');
    await operation.locator('summary').click();
    await operation.getByLabel('key').fill('0'.repeat(64));
    await operation.getByRole('button', { name: 'Send' }).click();
    await expect(operation.getByRole('status')).toHaveText('401 Unauthorized');
    await expect(operation.locator('.docs-answer')).toContainText('urn:holdpoint:problem:unauthorized');
  });
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('it reads, and nothing can be pressed', async ({ page }) => {
    await page.goto('/api/docs');
    const operation = page.locator('#claim');
    await operation.locator('summary').click();
    await expect(operation).toContainText('May I run this effect');
    await expect(operation.getByRole('button', { name: 'Send' })).toBeDisabled();
  });
});
