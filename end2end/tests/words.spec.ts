// What pages say, seen as somebody does who has never seen them: mails in texts, waits without a script, targets on
// narrow screens, addresses of what was narrowed, and refusals.

import { heldMail, sentMail } from './actions.ts';
import { expect, test } from './fixtures.ts';
import { looks } from './looks.ts';

const letter = 'From: Billing <billing@northwind.example>\r\nTo: lin@northwind.example\r\nCc: otto@northwind.example\r\nSubject: Your <b>invoice</b>\r\n\r\nDear Lin,\n\nit is due.\n<script>document.title = "run"</script>';
const long = `${'lin.of.the.accounts.department'.repeat(3)}@northwind.example`;

test('a text that is a mail is laid out as one, and stays as it came one click away', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read, { payload: undefined, payload_text: letter });
  await page.goto(`/actions/${held.key}`);
  const mail = page.getByRole('region', { name: 'The mail' });
  await expect(mail.locator('dd')).toHaveText(['lin@northwind.example', 'Billing <billing@northwind.example>', 'otto@northwind.example', 'Your <b>invoice</b>']);
  await expect(mail.locator('.mail-text').first()).toContainText('<script>document.title');
  await expect(page).not.toHaveTitle('run');
  const came = page.locator('details', { hasText: 'As it came' });
  await expect(came.locator('code')).toBeHidden();
  await came.locator('summary').click();
  await expect(came.locator('code')).toContainText('Subject: Your <b>invoice</b>');
});

test('a masked file is as long as it is said to be, looked behind or not', async ({ page, api }) => {
  const payload = { to: 'lin@northwind.example', subject: 'S', body: 'B', password: 'x'.repeat(300) };
  const held = await heldMail(api.worker, api.read, { payload });
  for (const revealed of [false, true]) {
    await page.goto(`/actions/${held.key}`);
    if (revealed) await page.getByRole('button', { name: 'Show what is masked' }).click();
    const foot = page.locator('.hint', { hasText: 'The whole as a file' }).first();
    const file = await page.request.get((await foot.getByRole('link').getAttribute('href')) ?? '');
    await expect(foot).toContainText(`masked, ${(await file.body()).length} bytes`);
    if (!revealed) continue;
    await expect(page.locator('summary', { hasText: 'As JSON' })).not.toContainText(`${(await file.body()).length} bytes`);
    await expect(page.getByText(payload.password), 'what was asked for is seen at once').toBeVisible();
  }
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });

  test('a wait says since when, a long target is seen whole, and an address has no empty parts', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read, { target: long });
    await page.goto('/review');
    await expect(page.locator('.row-age').first()).toHaveText(/^since \d+ \w+, \d\d:\d\d UTC$/);
    const target = page.locator('.row-meta > bdi').first();
    expect(await target.evaluate((one) => one.scrollWidth <= one.clientWidth + 1 && one.scrollHeight <= one.clientHeight + 3)).toBe(true);
    await page.goto(`/actions/${held.key}`);
    await expect(page.locator('.head')).toContainText(/Held since \d+ \w+/);
    await expect(page.getByRole('link', { name: 'In the queue' })).toHaveAttribute('href', `/review?key=${held.key}`);

    await page.goto('/actions');
    await page.getByLabel('Status').selectOption('held');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await expect(page).toHaveURL(/\/actions\?status=held$/);
    await expect(page.locator('tbody tr')).toHaveCount(1);
  });
});

test.describe('as a viewer', () => {
  test.use({ as: 'viewer', allowedErrors: /status of 403/ });

  test('a page that is not theirs says whose it is', async ({ page }) => {
    await page.goto('/operators');
    await expect(page.getByRole('main')).toContainText('Only an admin may see it.');
  });
});

looks('every page to a newcomer', 'admin', async (_page, api) => {
  const held = await heldMail(api.worker, api.read, { payload: undefined, payload_text: letter, target: long });
  await sentMail(api.worker, 'welcome-9');
  return {
    overview: '/',
    review: '/review',
    'review-open': `/review?key=${held.key}`,
    log: '/actions',
    'log-nothing': '/actions?q=nothing-like-it',
    action: `/actions/${held.key}`,
    run: '/runs/welcome-9',
    stale: '/stale',
    policies: '/policies',
    policy: '/policies/send_email',
    audit: '/audit',
    operators: '/operators',
    tokens: '/tokens',
    account: '/account',
  };
});

test.describe('at 320', () => {
  test.use({ viewport: { width: 320, height: 640 }, as: 'admin' });

  test('no page is wider than the window', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read, { target: long, run_id: 'r'.repeat(190) });
    for (const path of ['/', '/review', `/review?key=${held.key}`, '/actions', `/actions/${held.key}`, `/runs/${'r'.repeat(190)}`, '/stale', '/policies', '/policies/send_email', '/audit', '/operators', '/tokens', '/account']) {
      await page.goto(path);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(wider, path).toBeLessThanOrEqual(0);
    }
  });
});
