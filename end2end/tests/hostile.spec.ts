// Payloads are what strangers wrote: they are text on every page, with and without JavaScript.

import { heldMail } from './actions.ts';
import { expect, test } from './fixtures.ts';
import { drifted } from './scenes.ts';

const image = '<img src=x onerror="document.title=\'pwn\'">';
const script = '</title></script><script>document.title="pwn"</script>';

test('case D01: markup in a payload is shown, never run', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read, {
    target: `${image}@example.com`,
    summary: script,
    payload: { to: image, subject: script, body: `${image}${script}` },
  });
  for (const path of ['/', '/review', `/review?key=${held.key}`, '/actions', `/actions/${held.key}`]) {
    const answer = await page.goto(path);
    const source = (await answer?.text()) ?? '';
    expect(source, path).not.toContain(image);
    expect(source, path).not.toContain(script);
    await expect(page).not.toHaveTitle('pwn');
    await expect(page.locator('main'), path).toContainText('<script>document.title');
  }
});

test('case D01: no view of an action runs what strangers wrote, in any of its states', async ({ page, api }) => {
  test.setTimeout(120_000);
  const evil = `</textarea>${image}${script}`;
  const mail = { to: image, subject: script, body: evil, attachments: [{ filename: evil }], [image]: script };
  const paths: Record<string, string> = {};

  // Two bodies of one step: the difference, member by member.
  const drift = await drifted(api, mail, { ...mail, body: `${evil}!`, extra: { [script]: evil } }, { target: `${image}@x.example`, worker: evil });
  paths['a difference'] = `/actions/${drift}`;
  paths['a difference beside the queue'] = `/review?key=${drift}`;

  // What a worker and a person say, with a result, in the history and the attempts.
  const told = await heldMail(api.worker, api.read, { run_id: 'run<img>', target: evil, summary: evil, payload: mail, worker: evil });
  const refused = { decision: 'retry', reason: evil, version: told.version };
  await api.operator.post(`/actions/${told.key}/decide`, refused);
  await api.worker.post('/actions/claim', { ...told.intent, worker: evil });
  await api.worker.post(`/actions/${told.key}/fail`, { attempt: 2, error: evil });
  const { version } = await api.read.get(`/actions/${told.key}`);
  await api.operator.post(`/actions/${told.key}/decide`, { decision: 'succeed', reason: evil, version, result: { [image]: evil } });
  paths['a result and a history'] = `/actions/${told.key}`;

  // What a verifier notes.
  await api.admin.put('/policies/create_invoice', { recovery: 'verifiable', verify_after_s: 0, reason: evil });
  const asked = await api.worker.post('/actions/claim', { run_id: 'r', step: 1, kind: 'create_invoice', target: evil, worker: evil, payload_text: evil, summary: evil });
  await api.worker.post(`/actions/${asked.key}/fail`, { attempt: 1, error: evil });
  const question = await api.worker.post('/verifications/next', { kinds: ['create_invoice'], worker: evil, wait_s: 5 });
  await api.worker.post(`/actions/${asked.key}/verdict`, { attempt: 1, try: question.try, verdict: 'unknown', note: evil });
  paths['a question'] = `/actions/${asked.key}`;
  paths['a run'] = `/runs/${encodeURIComponent('run<img>')}`;
  paths['a target'] = `/actions?target=${encodeURIComponent(evil)}`;
  paths['a search'] = `/actions?q=${encodeURIComponent(evil)}`;
  // What the address says came to nothing.
  paths['a message that was made up'] = `/actions/${drift}?done=${encodeURIComponent(evil)}&problem=${encodeURIComponent(evil)}`;

  for (const [name, path] of Object.entries(paths)) {
    const source = (await (await page.goto(path))?.text()) ?? '';
    expect(source, name).not.toContain(image);
    expect(source, name).not.toContain(script);
    expect(source, `${name}: what islands are handed`).not.toContain('</title></script>');
    for (const folded of await page.locator('main details').all()) await folded.evaluate((one) => one.setAttribute('open', ''));
    await expect(page, name).not.toHaveTitle('pwn');
    await expect(page.locator('main img'), name).toHaveCount(0);
  }
  await page.goto(paths['a question'] ?? '');
  await expect(page.locator('main')).toContainText('<script>document.title');

  // A decision that came too late says so on the page, with the typed reason.
  await page.goto(`/actions/${drift}`);
  const now = await api.read.get(`/actions/${drift}`);
  await api.operator.post(`/actions/${drift}/decide`, { decision: 'fail', reason: evil, version: now.version });
  await page.locator('textarea[name="reason"]').fill(evil);
  await page.locator('button[name="decision"][value="retry"]').click();
  await expect(page.locator('.notice')).toBeVisible();
  await expect(page).not.toHaveTitle('pwn');
  await expect(page.locator('main img')).toHaveCount(0);

  // The file is kept by a browser and never shown.
  for (const what of ['payload', 'result']) {
    const file = await page.request.get(`/actions/${told.key}/${what}`);
    expect(file.headers()['content-disposition']).toMatch(/^attachment; filename="[0-9a-f]{12}-/);
    expect(file.headers()['content-type']).toBe('text/plain; charset=utf-8');
    expect(file.headers()['content-security-policy']).toContain("default-src 'none'");
  }
});

test('case D38: names without end and text that turns around stay inside the page', async ({ page, api }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const held = await heldMail(api.worker, api.read, {
    run_id: 'r'.repeat(200),
    target: 'x'.repeat(300),
    summary: `invoice_\u202efdp.exe ${'y'.repeat(200)}`,
  });
  for (const path of ['/review', '/actions', `/actions/${held.key}`]) {
    await page.goto(path);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wider, `${path} is wider than the window`).toBeLessThanOrEqual(0);
  }
  await expect(page.locator('button[name="decision"]').first()).toBeVisible();
});

test('case D38: odd names of every sort keep their place, and buttons are large enough, at 320 px and on paper', async ({ page, api }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const names: Record<string, string> = {
    'combining marks': `a${'\u0301'.repeat(40)}`,
    flags: '\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}'.repeat(20),
    'white space': '\u00a0 \u00a0',
    'signs of no width': `a${'\u200b'.repeat(30)}b`,
    'no break': 'x'.repeat(200),
    'turned around': 'invoice_\u202efdp.exe',
  };
  for (const [what, name] of Object.entries(names)) {
    const held = await heldMail(api.worker, api.read, { summary: name, target: `${name}@x`, payload: { to: name, subject: name, body: name, [name]: { [name]: name } } });
    for (const path of [`/actions/${held.key}`, `/review?key=${held.key}`]) {
      for (const media of ['screen', 'print'] as const) {
        await page.emulateMedia({ media });
        await page.goto(path);
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        expect(wider, `${what} at ${path} on ${media}`).toBeLessThanOrEqual(0);
      }
      await page.emulateMedia({ media: 'screen' });
      for (const button of await page.locator('button[name="decision"]').all()) {
        const box = await button.boundingBox();
        expect(Math.min(box?.width ?? 0, box?.height ?? 0), what).toBeGreaterThanOrEqual(24);
      }
      await expect(page.locator('main .status').first(), what).toBeVisible();
    }
  }
});

test('case D38: a mail about nothing says so', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read, { payload: { to: 'lin@x.example', subject: '  ', body: 'x' } });
  await page.goto(`/actions/${held.key}`);
  await expect(page.getByText('(no subject)')).toBeVisible();
});

test.describe('case D38: a key', () => {
  test('is whole in its field, by the keyboard, and selected where the clipboard refuses', async ({ page, api }) => {
    const held = await heldMail(api.worker, api.read);
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined });
    });
    await page.goto(`/actions/${held.key}`);
    await expect(page.locator('html')).toHaveAttribute('data-live', '');
    const field = page.getByLabel('Key', { exact: true });
    await expect(field).toHaveValue(held.key);
    await field.focus();
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'Copy' }).first()).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'Selected' })).toBeVisible();
    await expect(field).toBeFocused();
    const chosen = await field.evaluate((one: HTMLInputElement) => [one.selectionStart, one.selectionEnd]);
    expect(chosen).toEqual([0, 64]);
  });
});

test('case D38: a recipient cannot disguise what a button does', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read, { payload: { to: 'a\u202e@x.example', subject: 'x', body: 'y' } });
  await page.goto(`/actions/${held.key}`);
  const buttons = page.locator('button[name="decision"]');
  await expect(buttons).toHaveCount(3);
  for (const text of await buttons.allTextContents()) expect(text).not.toContain('\u202e');
  await expect(buttons.first()).toContainText('U+202E');
});

test('case D06: nothing is decided by GET', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  for (const path of [`/actions/${held.key}?decision=retry&version=${held.version}&reason=x`, '/_fn/decide?decision=retry']) {
    await page.request.get(path);
  }
  expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
});

test('case D03: a form from elsewhere decides nothing', async ({ page, api }) => {
  const held = await heldMail(api.worker, api.read);
  const form = { key: held.key, version: String(held.version), decision: 'retry', reason: 'x' };
  const elsewhere: Record<string, string>[] = [{ origin: 'http://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }];
  for (const headers of elsewhere) {
    const answer = await page.request.post('/_fn/decide', { form, headers, maxRedirects: 0 });
    expect(answer.status(), JSON.stringify(headers)).toBe(403);
  }
  expect((await api.read.get(`/actions/${held.key}`)).status).toBe('held');
});

test('case D51: what is masked stands on no view of an action, nor in its difference or its file', async ({ page, api, pageAs, browser, baseURL }) => {
  await api.admin.put('/policies/send_email', { mask: ['/body'], reason: 'PINs' });
  const secret = { to: 'a@x.test', subject: 'Your PIN', headers: { Authorization: 'Bearer s3cr3t' }, body: 'PIN zq4711', attachments: [{ filename: 'pin.pdf' }] };
  const other = { ...secret, headers: { Authorization: 'Bearer t0ps3cr3t' }, body: 'PIN zq4712', subject: 'Your new PIN' };
  const drift = await drifted(api, secret, other);
  const told = await heldMail(api.worker, api.read, { run_id: 'pins', target: 'a@x.test', payload: secret });
  await api.worker.post('/actions/claim', { ...told.intent, run_id: 'pins-2', worker: 'w' });
  const vera = await pageAs('viewer');
  for (const who of [page, vera]) {
    for (const path of [
      '/', '/review', `/review?key=${drift}`, '/actions', '/actions?q=s3cr3t', '/runs/pins',
      `/actions/${drift}`, `/actions/${told.key}`, `/actions/${drift}/payload`, `/actions/${told.key}/payload`,
    ]) {
      const source = await (await who.request.get(path)).text();
      // What was searched for stands in its field, and what it was found in nowhere.
      expect(source, path).not.toMatch(path.includes('q=') ? /zq4711|zq4712|Your PIN/ : /s3cr3t|zq4711|zq4712/);
    }
  }
  await vera.goto(`/actions/${drift}`);
  await expect(vera.locator('#drift')).toContainText('What is masked was not compared: it may differ as well.');
  await expect(vera.locator('#drift .diff-place')).toHaveText(['/subject']);
  await expect(vera.getByRole('button', { name: 'Show what is masked' })).toHaveCount(0);
  await expect(vera.getByText('The whole as a file').locator('..')).toContainText('masked');

  // What an operator looks behind is theirs: the address shows a colleague nothing.
  await page.goto(`/actions/${told.key}`);
  await page.getByRole('button', { name: 'Show what is masked' }).click();
  await expect(page.locator('.mail-text')).toContainText('PIN zq4711');
  expect(await (await vera.request.get(page.url())).text()).not.toContain('zq4711');
  await expect(page.getByText('Looked behind the mask')).toBeVisible();

  // Without a session a link leads to the way in and says nothing.
  const nobody = await browser.newContext({ baseURL, storageState: { cookies: [], origins: [] } });
  for (const path of [`/actions/${told.key}`, `/actions/${told.key}/payload`, `/review?key=${told.key}`]) {
    const answer = await nobody.request.get(path);
    expect(new URL(answer.url()).pathname).toBe('/login');
    expect(await answer.text()).not.toMatch(/a@x\.test|Your PIN/);
  }
  await nobody.close();
});
