// A line between browser and server that a test can cut and mend.

import { once } from 'node:events';
import { type Server as Listener, type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

export class Line {
  private readonly sockets = new Set<Socket>();
  /** How many connections there are that carry a stream of events. */
  private readonly streams = new Set<Socket>();
  private up = true;

  private constructor(private readonly listener: Listener) {}

  static async to(url: string): Promise<Line> {
    const listener = createServer();
    const line = new Line(listener);
    const port = Number(new URL(url).port);
    listener.on('connection', (near) => line.carry(near, port));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return line;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  get open(): number {
    return this.sockets.size;
  }

  get listening(): number {
    return this.streams.size;
  }

  /** Every connection breaks, and none is made any more. */
  cut(): void {
    this.up = false;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.up = true;
  }

  async close(): Promise<void> {
    this.cut();
    this.listener.close();
    await once(this.listener, 'close');
  }

  private carry(near: Socket, port: number): void {
    if (!this.up) {
      near.destroy();
      return;
    }
    const far = connect(port, '127.0.0.1');
    this.sockets.add(near);
    near.on('data', (data) => {
      if (data.includes('GET /api/v1/events')) this.streams.add(near);
    });
    near.pipe(far).pipe(near);
    const end = (): void => {
      this.sockets.delete(near);
      this.streams.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end);
  }
}
