// SeaweedFS with its Lance namespace, as somebody runs it already: names there, bytes in its S3.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { client, freePort, until } from './server.mjs';

const WEED = join(dirname(process.env.LAKEGLASS_PYTHON ?? '/usr/bin/python3'), 'weed');

/** A running server with the Lance bucket `vectors`, and a table in it that a client wrote directly. */
export async function startNamespace() {
  const folder = mkdtempSync(join(tmpdir(), 'lakeglass-names-'));
  const [lance, s3] = [await freePort(), await freePort()];
  const ports = [`-s3.port.lance=${lance}`, `-s3.port=${s3}`];
  for (const name of ['s3.port.iceberg', 'admin.port', 'filer.port', 'master.port', 'volume.port', 'webdav.port']) {
    ports.push(`-${name}=${await freePort()}`);
  }
  const args = ['mini', `-dir=${folder}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1', '-master.telemetry=false',
    '-tableBucket=vectors:LANCE', '-admin.password=none', ...ports];
  const child = spawn(WEED, args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => { child.once('exit', resolve); child.once('error', resolve); });
  const url = `http://127.0.0.1:${lance}`;
  const stop = async () => {
    // It has nothing to save, and takes its time to end by itself.
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until('the namespace server', () => fetch(`${url}/v1/namespace/vectors/list`).then((r) => r.ok));
    client('elsewhere', url, 'vectors', 'demo', 'cities', 120);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, endpoint: `http://127.0.0.1:${s3}`, stop };
}
