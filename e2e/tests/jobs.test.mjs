// Long work as people meet it: files made into tables through the form, progress, and cancelling.
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inWindow, openBrowser, press, said, shoot } from '../lib/browser.mjs';
import { api, client, startServer, until } from '../lib/server.mjs';

let browser;
let server;
let rest;
let files;
const ROWS = 1_500_000;

before(async () => {
  files = mkdtempSync(join(tmpdir(), 'lakeglass-files-'));
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
  await rest.post('/api/v1/buckets', { name: 'desk', format: 'lance' });
  await rest.post('/api/v1/buckets/desk/namespaces', { namespace: 'in' });
  client('files', files);
  client('lines', join(files, 'large.csv'), ROWS);
});
after(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(files, { recursive: true, force: true });
});

const as = (name, test, options) => inWindow(browser, server, name, test, options);

for (const [kind, scripts] of [['parquet', true], ['arrow', true], ['csv', false]]) {
  test(`a ${kind} file becomes a table through the form${scripts ? '' : ', without scripts'}`, () => as('ana', async (page) => {
    const name = `cities_${kind}`;
    await page.goto('/buckets/desk/ns/in/new-table');
    const form = page.locator('form[enctype="multipart/form-data"]');
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('File', { exact: true }).setInputFiles(join(files, `cities.${kind}`));
    await press(page, 'Import file', form);
    assert.match(new URL(page.url()).pathname, /^\/jobs\//);
    // With scripts the page may have loaded anew already, once the job had ended: the message was said then.
    if (!scripts) assert.match(await said(page), /The file arrived/);
    // The page follows the job by itself; without scripts a person reloads it.
    for (let tries = 0; tries < 100 && !(await page.getByText('Succeeded').count()); tries += 1) {
      await page.waitForTimeout(200);
      const reload = page.getByRole('link', { name: 'Reload' });
      if (!scripts && await reload.count()) await reload.click();
    }
    await page.getByText('Succeeded').waitFor();
    await page.getByText('30 rows are in').waitFor();
    await shoot(page, `job-succeeded-${kind}`);
    await page.getByRole('link', { name: new RegExp(name) }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.goto(`/buckets/desk/ns/in/tables/${name}/rows`);
    await page.getByText('Rows 1 to 30').waitFor();
    await page.getByRole('cell', { name: 'Oslo' }).first().waitFor();
  }, { scripts }));
}

test('a file that is none of these is refused with the reason, and nothing typed is lost', () => as('ana', async (page) => {
  await page.goto('/buckets/desk/ns/in/new-table');
  const form = page.locator('form[enctype="multipart/form-data"]');
  await form.getByLabel('Name').fill('nonsense');
  await form.getByLabel('File', { exact: true }).setInputFiles({
    name: 'nonsense.parquet', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 3, 0, 0, 255]),
  });
  await press(page, 'Import file', form);
  await page.getByRole('alert').waitFor();
  assert.equal(await form.getByLabel('Name').inputValue(), 'nonsense');
  await shoot(page, 'import-refused');
}));

/** Sends the large file and starts its import; answers the job. */
async function importLarge(table) {
  const path = join(files, 'large.csv');
  const answer = await fetch(`${server.url}/api/v1/buckets/desk/files?name=large.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rest.token}`, 'content-length': statSync(path).size },
    body: createReadStream(path),
    duplex: 'half',
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  const { id } = await answer.json();
  return rest.post(`/api/v1/buckets/desk/namespaces/in/tables/${table}/import`, { file: id });
}

/** The number in "120 rows, Writing". */
const rowsSaid = async (page) => Number((await page.locator('[data-job-message]').innerText()).replaceAll(',', '').match(/^\d+/)?.[0] ?? 0);

test('a running job is followed live, and cancelling it truly stops it', () => as('ana', async (page) => {
  const job = await importLarge('stopped');
  await page.goto(`/jobs/${job.id}`);
  const first = await until('the first rows', async () => (await rowsSaid(page)) || null);
  await until('more rows without a reload', async () => (await rowsSaid(page)) > first || null);
  await shoot(page, 'job-running');
  await page.goto('/jobs?state=running');
  await page.getByRole('link', { name: 'Import a file' }).waitFor();
  await page.goto(`/jobs/${job.id}`);
  await press(page, 'Cancel job');
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  await shoot(page, 'job-cancelled');
  const ended = await rest.get(`/api/v1/jobs/${job.id}`);
  assert.equal(ended.state, 'cancelled');
  assert.ok(ended.attempts.every((attempt) => attempt.ended_at_ms), 'no attempt goes on');
  assert.ok(ended.progress.done < ROWS, `it was stopped before its end, at ${ended.progress.done}`);
  await new Promise((resolve) => { setTimeout(resolve, 1000); });
  assert.deepEqual((await rest.get(`/api/v1/jobs/${job.id}`)).progress, ended.progress, 'nothing moves after the end');
  const gone = await page.request.get('/buckets/desk/ns/in/tables/stopped');
  assert.equal(gone.status(), 404, 'no half of a table is left');
}));

test('without scripts a running job is reloaded and cancelled', () => as('ana', async (page) => {
  const job = await importLarge('stopped-plain');
  await page.goto(`/jobs/${job.id}`);
  await page.getByRole('link', { name: 'Reload' }).click();
  await page.getByRole('progressbar').waitFor();
  await shoot(page, 'job-running-plain');
  await press(page, 'Cancel job');
  await until('the job to end', async () => {
    await page.reload();
    return await page.getByText('Cancelled', { exact: true }).count() > 0;
  });
}, { scripts: false }));

test('the list is narrowed by state and kind, and an empty choice is none', () => as('ana', async (page) => {
  await page.goto('/jobs');
  await page.getByLabel('Kind').selectOption('import-file');
  await press(page, 'Filter');
  assert.match(page.url(), /state=&kind=import-file/);
  assert.ok(await page.getByRole('link', { name: 'Import a file' }).count() >= 4);
  await page.getByLabel('State').selectOption('failed');
  await press(page, 'Filter');
  await page.getByText('No job matches').waitFor();
  await shoot(page, 'jobs-none-match');
  await page.getByRole('link', { name: 'Show all jobs' }).click();
  assert.ok(await page.getByRole('link', { name: 'Import a file' }).count() >= 4);
}));
