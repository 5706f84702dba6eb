// The pictures in docs/dashboard.md: an agent's evening, with what went wrong in it. With HOLDPOINT_RENEW=1 they are
// taken anew; otherwise the pages only have to be what the words beside the pictures say.

import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { type Api, expect, test } from './fixtures.ts';

const docs = join(import.meta.dirname, '../../docs');
const pictures = process.env['HOLDPOINT_RENEW'] ? join(docs, 'pictures') : join(import.meta.dirname, '../test-results/pictures');

const people = [
  ['lin@northwind.example', 'Lin', 'Reminder: invoice 2041 is due'],
  ['sam@contoso.example', 'Sam', 'Your trial ends on Friday'],
  ['noor@fabrikam.example', 'Noor', 'Minutes of this morning'],
  ['ada@adventure.example', 'Ada', 'Your flight has moved to 18:40'],
  ['kai@tailspin.example', 'Kai', 'Refund for order 7713'],
  ['mia@wingtip.example', 'Mia', 'The offer you asked for'],
] as const;

/** What it writes to a person: what they wait for, or that they spoke. */
function mail(n: number, run: string, step: number, said?: string): Record<string, unknown> {
  const [to, name, due] = people[n % people.length]!;
  const subject = said ?? due;
  const words = said === undefined
    ? 'as promised you find the details below. Answer this mail if anything is not right.'
    : `thank you for your time. Below is what we agreed on (${run}).`;
  const body = `Dear ${name},\n\n${words}\n\nKind regards\nThe assistant`;
  return { run_id: run, step, kind: 'send_email', target: to, summary: `${subject}, to ${name}`, payload: { to, subject, body }, worker: 'mailer-2' };
}

async function sent(worker: Api, intent: Record<string, unknown>): Promise<string> {
  const { key } = await worker.post('/actions/claim', intent);
  await worker.post(`/actions/${key}/succeed`, { attempt: 1, result: { message_id: `<${String(intent['step'])}.${String(intent['run_id'])}@mail.example>` } });
  return key;
}

interface Evening {
  mail: string;
  drift: string;
}

/** Seven hours of an agent's work. Each call takes its seconds, so that no two fall together. */
async function evening({ worker, admin }: Record<'worker' | 'admin', Api>, pass: (seconds: number) => Promise<void>): Promise<Evening> {
  await admin.put('/policies/send_email', { recovery: 'unverifiable', stale_after_s: 900, hold_deadline_s: 259200, reason: 'nobody can ask the mail server' });
  await admin.put('/policies/pay_invoice', { recovery: 'verifiable', approvals_needed: 2, reason: 'money needs two pairs of eyes' });
  await admin.put('/policies/post_message', { recovery: 'idempotent', max_attempts: 8, reason: 'the chat absorbs repeats' });
  for (let n = 0; n < 24; n += 1) {
    await pass(n % 5 === 0 ? 1_500 : 160);
    await sent(worker, mail(n, `follow-up-${300 + n}`, 1, 'Notes of our call'));
    if (n % 4 === 1) {
      const chat = { step: 1, kind: 'post_message', target: '#launch', summary: 'Good morning, here is the plan', payload: { text: 'Good morning' }, worker: 'chat-1' };
      await sent(worker, { ...chat, run_id: `stand-up-${n}` });
      await pass(40);
    }
  }
  const lost = 'connection lost after the final dot: the server may have taken the mail';
  let first = '';
  for (const [n, wait] of [4_200, 1_900, 2_700, 1_300, 840].entries()) {
    const intent = mail(n, `dunning-${2041 + n}`, 4);
    const { key } = await worker.post('/actions/claim', intent);
    await pass(48);
    await worker.post(`/actions/${key}/fail`, { attempt: 1, error: lost });
    if (n === 0) first = key;
    await pass(wait);
  }
  // The agent was run again, and this time it wrote something else.
  const again = mail(5, 'offer-12', 3);
  await worker.ask('POST', '/actions/claim', again);
  await pass(300);
  const { body } = await worker.ask('POST', '/actions/claim', {
    ...again,
    worker: 'mailer-3',
    payload: { ...(again['payload'] as object), body: 'Dear Mia,\n\nas promised you find the offer below, with 15 % off until Friday.\n\nKind regards\nThe assistant' },
  });
  const drift = body.key ?? body.action?.key ?? '';
  await pass(95);
  const bill = { run_id: 'billing-88', step: 2, kind: 'pay_invoice', target: 'sup_417', summary: 'Pay 1,240.00 EUR to Northwind', payload: { supplier: 'sup_417', amount: '1240.00', currency: 'EUR' }, worker: 'payer-1' };
  const { key } = await worker.post('/actions/claim', bill);
  await pass(30);
  await worker.post(`/actions/${key}/fail`, { attempt: 1, error: 'no answer from the bank within 30 s' });
  await pass(240);
  await worker.post('/actions/claim', mail(7, 'follow-up-324', 1, 'Notes of our call'));
  await pass(20);
  await admin.post('/reaper/run', {});
  return { mail: first, drift };
}

async function take(page: Page, name: string): Promise<void> {
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

test.describe('the pictures of the docs', () => {
  const lasting = '2592000';
  test.use({
    as: 'admin',
    viewport: { width: 1360, height: 860 },
    timezoneId: 'Europe/Berlin',
    settings: { HOLDPOINT_SESSION_IDLE: lasting, HOLDPOINT_SESSION_LASTS: lasting },
  });

  test('show what their words say', async ({ page, api, server }) => {
    test.setTimeout(120_000);
    const { mail, drift } = await evening(api, async (seconds) => { await server.database.pass(seconds); });
    const words = await readFile(join(docs, 'dashboard.md'), 'utf8');
    const shown = async (name: string, path: string, says: string | RegExp, colorScheme: 'light' | 'dark' = 'light', width = 1360): Promise<void> => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 860 });
      await page.goto(path);
      await expect(page.locator('main')).toContainText(says);
      await take(page, name);
      expect(words, `docs/dashboard.md shows ${name}`).toContain(`pictures/${name}.png`);
      expect(existsSync(join(docs, 'pictures', `${name}.png`)), `docs/pictures/${name}.png is there`).toBe(true);
    };
    await shown('overview', '/', 'send_email');
    await shown('review', `/review?key=${mail}`, 'may have taken the mail');
    await shown('review-dark', `/review?key=${mail}`, 'may have taken the mail', 'dark');
    await shown('review-narrow', '/review', 'Minutes of this morning', 'light', 390);
    await shown('action', `/actions/${mail}`, 'connection lost after the final dot');
    await shown('drift', `/actions/${drift}`, '15 % off until Friday');
    await shown('log', '/actions', 'follow-up-308');
    await shown('stale', '/stale', 'What a clock moves');
    const loosened = 'preview=1&recovery=unverifiable&on_unknown=fail&approvals_needed=1&hold_deadline_s=86400&stale_after_s=900&max_attempts=5&payload_retention_s=2592000'
      + '&backoff_s=5&backoff_max_s=3600&provider_window_s=86400&verify_after_s=60&verify_confirmations=2&verify_max_tries=10'
      + '&verify_patience_s=900&claim_within_s=86400&on_drift=hold&version=1';
    await shown('policy', `/policies/send_email?${loosened}`, 'What it would do');
  });
});
