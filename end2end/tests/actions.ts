// Actions as workers make them, through the API.

import { expect } from '@playwright/test';
import type { Api } from './api.ts';

let made = 0;

export interface Held {
  key: string;
  version: number;
  intent: Record<string, unknown>;
  summary: string;
}

/** A mail whose worker cannot say whether it went out: it waits for a person. */
export async function heldMail(worker: Api, read: Api, more: Record<string, unknown> = {}): Promise<Held> {
  made += 1;
  const summary = `Reminder: invoice ${2000 + made} is due`;
  const intent = {
    run_id: `dunning-${made}`,
    step: 4,
    kind: 'send_email',
    target: 'lin@northwind.example',
    payload: { to: 'lin@northwind.example', subject: summary, body: 'Dear Lin,\nplease pay.' },
    ...more,
  };
  const claim = await worker.post('/actions/claim', { ...intent, worker: 'mailer-2', summary: more['summary'] ?? summary });
  const failed = await worker.post(`/actions/${claim.key}/fail`, { attempt: 1, error: 'connection lost after the final dot' });
  expect(failed.status).toBe('held');
  const { version } = await read.get(`/actions/${claim.key}`);
  return { key: claim.key, version, intent, summary };
}

/** A mail that went out and was recorded. */
export async function sentMail(worker: Api, run: string, step = 1): Promise<string> {
  const claim = await worker.post('/actions/claim', {
    run_id: run,
    step,
    kind: 'send_email',
    target: 'ada@example.com',
    payload_text: 'Hello Ada',
    worker: 'mailer-1',
    summary: 'Welcome mail to Ada',
  });
  await worker.post(`/actions/${claim.key}/succeed`, { attempt: 1, result: { message_id: '<1@example.com>' } });
  return claim.key;
}
