// Starts the real server on a free port with a data folder of its own, and knows how to speak to it.
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PASSWORD } from './browser.mjs';

const BIN = process.env.LAKEGLASS_BIN;
if (!BIN) throw new Error('LAKEGLASS_BIN must name the built server; run e2e/run');

export const freePort = () => new Promise((resolve, reject) => {
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

/** A running server: its address, the one-time set-up link, and helpers that use the command line. */
export async function startServer({ demo = false, environment = {} } = {}) {
  const data = mkdtempSync(join(tmpdir(), 'lakeglass-e2e-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['serve', '--data', data, '--listen', `127.0.0.1:${port}`, ...(demo ? ['--demo'] : [])];
  const child = spawn(BIN, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { output += chunk; });
  const ended = new Promise((resolve) => child.once('exit', resolve));

  const deadline = Date.now() + 30_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended at once:\n${output}`);
    const ready = await fetch(`${url}/readyz`).then((r) => r.ok, () => false);
    if (ready) break;
    if (Date.now() > deadline) throw new Error(`the server was not ready in 30 s:\n${output}`);
    await new Promise((r) => setTimeout(r, 50));
  }

  const cli = (args, input) => execFileSync(BIN, args, { input, encoding: 'utf8' }).trim();
  return {
    url,
    data,
    output: () => output,
    setupLink: () => output.match(/https?:\/\/\S+\/setup\S*/)?.[0],
    addUser: (name, role, password = PASSWORD) =>
      cli(['user', 'add', name, '--data', data, '--role', role, '--password-stdin'], `${password}\n`),
    token: (name, role) =>
      cli(['token', 'create', '--data', data, '--name', name, '--role', role, '--days', '1']),
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, new Promise((r) => setTimeout(r, 10_000))]);
      if (child.exitCode === null) child.kill('SIGKILL');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

const PYTHON = process.env.LAKEGLASS_PYTHON ?? 'python3';
const CLIENT = new URL('client.py', import.meta.url).pathname;

/** Runs a command of client.py, a client with the released libraries; answers what it printed. */
export const client = (...args) =>
  execFileSync(PYTHON, [CLIENT, ...args.map(String)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

/** A small REST client over a token, for arranging what a page should show. */
export function api(url, token) {
  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : null;
  };
  return {
    token,
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    put: (path, body = {}) => call('PUT', path, body),
    patch: (path, body = {}) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
  };
}

/** Waits until a question has an answer. */
export async function until(what, question, seconds = 60) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await question().catch(() => null);
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise((r) => setTimeout(r, 200));
  }
}
