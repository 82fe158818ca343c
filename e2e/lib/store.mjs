// A real S3 store on this machine: SeaweedFS, with keys, from the environment of the Python clients.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { client, freePort } from './server.mjs';

const KEYS = { access_key_id: 'lakeglass', secret_access_key: 'only-for-this-test' };
const WEED = join(dirname(process.env.LAKEGLASS_PYTHON ?? '/usr/bin/python3'), 'weed');

/** A running store with one S3 bucket, `lake`. */
export async function startStore() {
  const folder = mkdtempSync(join(tmpdir(), 'lakeglass-weed-'));
  const port = await freePort();
  const ports = [`-s3.port=${port}`, `-s3.port.grpc=${await freePort()}`, '-s3.port.iceberg=0', '-s3.port.lance=0'];
  for (const part of ['master', 'volume', 'filer']) {
    ports.push(`-${part}.port=${await freePort()}`, `-${part}.port.grpc=${await freePort()}`);
  }
  const args = ['server', '-filer', '-s3', `-dir=${folder}`, '-ip=127.0.0.1', '-ip.bind=127.0.0.1',
    '-master.telemetry=false', '-volume.max=20', '-master.volumeSizeLimitMB=64', '-s3.autoCreateBucket=false', ...ports];
  const env = { ...process.env, AWS_ACCESS_KEY_ID: KEYS.access_key_id, AWS_SECRET_ACCESS_KEY: KEYS.secret_access_key };
  const child = spawn(WEED, args, { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => { child.once('exit', resolve); child.once('error', resolve); });
  const run = (command, ...more) => client(command, port, KEYS.access_key_id, KEYS.secret_access_key, ...more);
  try {
    run('s3_bucket', 'lake');
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    put: (path, text) => run('s3_put', path, text),
    /** The body that adds it as a storage. */
    storage: (name, root) => ({
      name, kind: 's3', root, endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', path_style: true, keys: KEYS,
    }),
    /** It has nothing to save, and takes its time to end by itself. */
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
