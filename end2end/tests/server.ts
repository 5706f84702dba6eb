// The real binary, on a database and a port of its own.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const binary = process.env['HOLDPOINT_BIN'] ?? join(import.meta.dirname, '../../target/debug/holdpoint');

/** How long the server may take to start or to stop, in milliseconds. */
const patience = 15_000;

/** A folder with a SQLite database, and the command line working on it. */
export class Database {
  constructor(
    readonly folder: string,
    private readonly settings: Record<string, string> = {},
  ) {}

  get file(): string {
    return join(this.folder, 'holdpoint.db');
  }

  /** What the binary sees: nothing of the settings that whoever runs the tests may have. */
  environment(): NodeJS.ProcessEnv {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HOLDPOINT_'));
    return { ...Object.fromEntries(inherited), HOLDPOINT_DATABASE_URL: `sqlite://${this.file}`, ...this.settings };
  }

  /** Runs `holdpoint …` and returns what it printed. */
  async run(args: string[], input = ''): Promise<string> {
    return await new Promise((resolve, reject) => {
      const options = { cwd: this.folder, env: this.environment() };
      const child = execFile(checked(), args, options, (error, stdout, stderr) => {
        if (error) reject(new Error(`holdpoint ${args.join(' ')}: ${error.message}\n${stderr}`));
        else resolve(stdout);
      });
      // A program that ends before it has read everything says why by its exit code.
      child.stdin?.on('error', () => {}).end(input);
    });
  }

  /** Moves its clock on by so many seconds. It stands still there until time has caught up. */
  async pass(seconds: number): Promise<void> {
    const script = [
      'import sqlite3, sys, time',
      'with sqlite3.connect(sys.argv[1], timeout=10) as db:',
      "    db.execute('UPDATE clock SET newest = max(newest, ?) + ?', (time.time_ns() // 1000, int(sys.argv[2]) * 1000000))",
    ].join('\n');
    await promisify(execFile)('python3', ['-c', script, this.file, String(seconds)]);
  }

  /** Serves it, and returns once it is ready. Port 0 is any that is free. */
  async serve(port = 0): Promise<Server> {
    const environment = { ...this.environment(), HOLDPOINT_LISTEN: `127.0.0.1:${port}` };
    const child = spawn(checked(), ['serve'], {
      cwd: this.folder,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const server = new Server(this, child);
    try {
      await server.ready();
      return server;
    } catch (error) {
      child.kill('SIGKILL');
      throw new Error(`The server did not start: ${String(error)}\n${server.log}`);
    }
  }
}

export class Server {
  /** Everything that it wrote to standard error. */
  log = '';
  url = '';
  private killed = false;
  private readonly ended: Promise<unknown>;
  private readonly listening: Promise<string>;

  constructor(
    readonly database: Database,
    private readonly child: ChildProcess,
  ) {
    // Kept even if nobody awaits it, so that a server that cannot be started is no unhandled rejection.
    this.ended = once(child, 'exit').catch((error: unknown) => error);
    this.listening = new Promise((resolve) => {
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
        // Only whole lines: what has arrived may end in the middle of the port.
        const address = /listening on (http:\/\/[\w.:[\]]+).*\n/.exec(this.log)?.[1];
        if (address !== undefined) resolve(address);
      });
    });
  }

  async ready(): Promise<void> {
    const gone = this.ended.then(() => Promise.reject(new Error('it ended by itself')));
    this.url = await Promise.race([this.listening, gone, late('no line says where it listens')]);
    await Promise.race([this.answering(), gone]);
  }

  private async answering(): Promise<void> {
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`/readyz does not answer with success within ${patience / 1000} s`);
  }

  /** Asks it to end, as a service manager would; one that ended before it was asked has failed the test. */
  async stop(): Promise<void> {
    if (this.killed) return;
    if (this.child.exitCode !== null || this.child.signalCode !== null) {
      throw new Error(`The server ended before the test did.\n${this.log}`);
    }
    this.child.kill('SIGTERM');
    try {
      await Promise.race([this.ended, late('it does not stop when asked to')]);
    } catch (error) {
      this.child.kill('SIGKILL');
      throw new Error(`The server: ${String(error)}\n${this.log}`);
    }
  }

  /** Ends it at once, as a crash would. */
  async kill(): Promise<void> {
    this.killed = true;
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

function checked(): string {
  if (!existsSync(binary)) {
    throw new Error(`There is no ${binary}: run \`cargo xtask test\`, or name the binary in HOLDPOINT_BIN.`);
  }
  return binary;
}

async function late(what: string): Promise<never> {
  return await new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${what} within ${patience / 1000} s`)), patience).unref();
  });
}
