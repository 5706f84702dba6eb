// Actions in every state that a page of one has something to say about, as workers and people make them.

import { heldMail } from './actions.ts';
import type { Api } from './fixtures.ts';

type Callers = Record<'worker' | 'read' | 'operator' | 'admin', Api>;

/** A step that a run presented twice, the second time with another body: held beside the first. */
export async function drifted(api: Callers, first: unknown, second: unknown, more: Record<string, unknown> = {}): Promise<string> {
  const step = { run_id: 'written-anew', step: 2, kind: 'send_email', target: 'lin@northwind.example', worker: 'mailer-2', ...more };
  const sent = await api.worker.post('/actions/claim', { ...step, payload: first, summary: 'Reminder to Lin' });
  await api.worker.post(`/actions/${sent.key}/succeed`, { attempt: 1, result: { message_id: '<7@example.com>' } });
  await api.worker.ask('POST', '/actions/claim', { ...step, payload: second, summary: 'Reminder to Lin, written anew' });
  return await newest(api.read, 'reason=payload_drift');
}

/** The newest action of a list. */
export async function newest(read: Api, filters: string): Promise<string> {
  const { items } = await read.get(`/actions?${filters}&limit=1`);
  return items[0].key;
}

/** The two bodies that an agent wrote for one mail. */
export const letters = {
  first: {
    to: 'lin@northwind.example',
    subject: 'Invoice 2041 is due',
    body: 'Dear Lin,\n\ninvoice 2041 over 380 EUR is due since Friday.\nPlease pay within 14 days.\n\nKind regards\nAda',
    attachments: [{ filename: 'invoice-2041.pdf' }],
  },
  second: {
    to: 'lin@northwind.example',
    subject: 'Invoice 2041 is overdue',
    body: 'Dear Lin,\n\ninvoice 2041 over 830 EUR is due since Friday.\nPlease pay within 14 days.\n\nKind regards\nAda',
    attachments: [{ filename: 'invoice-2041.pdf' }, { filename: 'terms.pdf' }],
    cc: 'books@northwind.example',
  },
};

/** An invoice about which the provider was asked and gave no clear answer. */
export async function verifying(api: Callers, answers = 3): Promise<string> {
  await api.admin.put('/policies/create_invoice', { recovery: 'verifiable', verify_after_s: 0, reason: 'can be asked' });
  const claim = await api.worker.post('/actions/claim', {
    run_id: 'billing-1', step: 1, kind: 'create_invoice', target: 'cus_42', worker: 'biller-1', payload: order(),
  });
  await api.worker.post(`/actions/${claim.key}/fail`, { attempt: 1, error: '504 from the provider' });
  for (let n = 1; n <= answers; n += 1) {
    const asked = await api.worker.post('/verifications/next', { kinds: ['create_invoice'], worker: 'asker-1', wait_s: 5 });
    await api.worker.post(`/actions/${claim.key}/verdict`, { attempt: 1, try: asked.try, verdict: 'unknown', note: '503' });
  }
  return claim.key;
}

export function order(): Record<string, unknown> {
  return {
    customer: 'cus_42',
    amount: 38000,
    rate: 1.19,
    currency: 'EUR',
    lines: Array.from({ length: 12 }, (_, n) => ({ sku: `A-${n}`, quantity: n + 1, note: `Position ${n}, as ordered on the phone on Friday` })),
    ship_to: { name: 'Northwind', street: 'Main St 1', city: 'Springfield' },
    memo: 'Paid on account.\nSecond reminder.\nCall before delivery.',
    express: false,
    coupon: null,
  };
}

/** A mail that went out twice, as its workers say: the first one reported late. */
export async function twice(api: Callers): Promise<string> {
  const held = await heldMail(api.worker, api.read, { run_id: 'sent-twice', worker: 'mailer-2' });
  await api.operator.post(`/actions/${held.key}/decide`, { decision: 'retry', reason: 'Not in the outbox.', version: held.version });
  await api.worker.post('/actions/claim', { ...held.intent, worker: 'mailer-3' });
  await api.worker.post(`/actions/${held.key}/succeed`, { attempt: 2, result: { message_id: '<2@example.com>' } });
  await api.worker.post(`/actions/${held.key}/succeed`, { attempt: 1, result: { message_id: '<1@example.com>' } });
  return held.key;
}

/** One action for each state there is, by the state's name. */
export async function every(api: Callers): Promise<Record<string, string>> {
  const claim = async (run: string, more: Record<string, unknown> = {}): Promise<string> => {
    const body = { run_id: run, step: 1, kind: 'send_email', target: 'ada@example.com', payload: letters.first, worker: 'mailer-1', ...more };
    return (await api.worker.post('/actions/claim', body)).key;
  };
  const running = await claim('run-running', { summary: 'A mail that is being sent' });
  const given = (await heldMail(api.worker, api.read)).key;
  const { version } = await api.read.get(`/actions/${given}`);
  await api.operator.post(`/actions/${given}/decide`, { decision: 'fail', reason: 'Lin has paid.', version });
  const released = await claim('run-released', { summary: 'A mail that was refused for now' });
  await api.worker.post(`/actions/${released}/fail`, { attempt: 1, error: '451 try again later', effect: 'none' });
  const failed = await claim('run-failed', { summary: 'A mail that can never be sent' });
  await api.worker.post(`/actions/${failed}/fail`, { attempt: 1, error: '550 no such mailbox', effect: 'none', permanent: true });
  return {
    running,
    released,
    failed,
    given,
    twice: await twice(api),
    verifying: await verifying(api),
    drifted: await drifted(api, letters.first, letters.second),
    held: (await heldMail(api.worker, api.read)).key,
  };
}
