// Every page in its states: axe, no sideways scroll, no console error, at two widths and in two themes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, openBrowser, openWindow, scrollsSideways, shoot, signIn } from '../lib/browser.mjs';
import { api, startServer, until } from '../lib/server.mjs';

const PASSWORD = 'quiet-lake-glass-42';
// Markup, a right-to-left override, a path trick, CJK and an emoji, as a column, tag or property may hold.
const HOSTILE = '<img src=x onerror=alert(1)> \u202Ea/b%2F..#? 表 🐧';

let browser;
let full;
let empty;
let adminApi;

before(async () => {
  browser = await openBrowser();
  [full, empty] = await Promise.all([startServer({ demo: true }), startServer()]);
  full.addUser('ana', 'admin', PASSWORD);
  empty.addUser('ana', 'admin', PASSWORD);
  adminApi = api(full.url, full.token('test', 'admin'));
  await until('the demo data', async () => {
    const jobs = await adminApi.get('/api/v1/jobs?kind=load-demo');
    const state = jobs.items[0]?.state;
    if (state === 'failed') throw new Error(JSON.stringify(jobs.items[0]));
    return state === 'succeeded';
  }, 120);
  await adminApi.post('/api/v1/buckets', { name: 'nothing-yet', format: 'lance' });
  await adminApi.patch('/api/v1/buckets/nothing-yet', { description: HOSTILE, properties: { note: HOSTILE } });
});
after(async () => {
  await browser?.close();
  await Promise.all([full?.stop(), empty?.stop()]);
});

const LOOKS = [['light', 1280], ['dark', 320], ['dark', 1280], ['light', 320]];

/** Tables of the demo data, as the catalog names them. */
async function demoTables() {
  const tables = [];
  for (const bucket of (await adminApi.get('/api/v1/buckets')).items) {
    for (const ns of (await adminApi.get(`/api/v1/buckets/${bucket.name}/namespaces`)).items) {
      const path = ns.path.join('.');
      const page = await adminApi.get(`/api/v1/buckets/${bucket.name}/namespaces/${path}/tables`);
      for (const table of page.items) tables.push({ bucket: bucket.name, namespace: path, name: table.name, format: table.format });
    }
  }
  return tables;
}

async function visit(server, path, at, { status = 200, name } = {}) {
  const [theme, width] = LOOKS[at % LOOKS.length];
  const { page, context, faults, close } = await openWindow(browser, { url: server.url, theme, width, bypassCSP: true });
  try {
    await signIn(page, 'ana', PASSWORD);
    await context.addCookies([{ name: 'theme', value: theme, url: server.url }]);
    const response = await page.goto(path);
    assert.equal(response.status(), status, path);
    await page.waitForLoadState('networkidle').catch(() => {});
    await shoot(page, `${name ?? path.replace(/[^a-z0-9]+/gi, '-')}-${theme}-${width}`);
    assert.equal(await page.locator('h1').count(), 1, `${path} has one heading of the first level`);
    assert.equal(await scrollsSideways(page), false, `${path} scrolls sideways at ${width}`);
    assert.deepEqual(await axe(page), [], `${path} in ${theme} at ${width}`);
    assert.deepEqual(faults, [], path);
    return await page.title();
  } finally {
    await close();
  }
}

const ADMIN_PAGES = ['/', '/buckets', '/new-bucket', '/formats', '/jobs', '/settings/users', '/settings/tokens',
  '/settings/storage', '/settings/audit', '/settings/sessions', '/settings/appearance'];

test('admin pages with nothing in them', async () => {
  let at = 0;
  for (const path of ADMIN_PAGES) {
    await visit(empty, path, at, { name: `empty${path.replaceAll('/', '-')}` });
    at += 1;
  }
});

test('admin pages with the demo data', async () => {
  let at = 1;
  const titles = new Set();
  for (const path of ADMIN_PAGES) {
    titles.add(await visit(full, path, at, { name: `full${path.replaceAll('/', '-')}` }));
    titles.add(await visit(full, path, at + 1, { name: `full${path.replaceAll('/', '-')}` }));
    at += 1;
  }
  assert.equal(titles.size, ADMIN_PAGES.length, 'each page has a title of its own');
});

test('a bucket, its namespaces, trash and settings', async () => {
  const [table] = await demoTables();
  let at = 0;
  for (const path of [`/buckets/${table.bucket}`, `/buckets/${table.bucket}/trash`, `/buckets/${table.bucket}/settings`,
    `/buckets/${table.bucket}/ns/${table.namespace}`, `/buckets/${table.bucket}/ns/${table.namespace}/new-table`,
    '/buckets/nothing-yet', '/buckets/nothing-yet/trash', '/buckets/nothing-yet/settings']) {
    await visit(full, path, at);
    await visit(full, path, at + 1);
    at += 1;
  }
});

test('every tab of every kind of table', async () => {
  const tables = await demoTables();
  const kinds = new Map(tables.map((table) => [`${table.format} ${table.name}`, table]));
  let at = 0;
  for (const table of kinds.values()) {
    const base = `/buckets/${table.bucket}/ns/${table.namespace}/tables/${encodeURIComponent(table.name)}`;
    const tabs = table.format === 'lance' ? ['', '/rows', '/versions', '/connect', '/settings'] : ['', '/rows', '/settings'];
    for (const tab of tabs) {
      await visit(full, base + tab, at);
      await visit(full, base + tab, at + 1);
      at += 1;
    }
  }
});

test('errors offer a way on', async () => {
  let at = 0;
  for (const path of ['/no-such-page', '/buckets/no-such-bucket', '/buckets/nothing-yet/ns/missing',
    '/buckets/nothing-yet/ns/missing/tables/t', '/jobs/none']) {
    await visit(full, path, at, { status: 404 });
    at += 1;
  }
});

test('hostile text stays text', async () => {
  const { page, faults, close } = await openWindow(browser, { url: full.url });
  try {
    let dialogs = 0;
    page.on('dialog', (dialog) => { dialogs += 1; dialog.dismiss(); });
    await signIn(page, 'ana', PASSWORD);
    for (const path of ['/buckets', '/buckets/nothing-yet', '/buckets/nothing-yet/settings', '/settings/audit']) {
      await page.goto(path);
      assert.equal(await page.locator('img[src="x"]').count(), 0, path);
      assert.ok(!(await page.locator('main').innerText()).includes('\u202E'), `${path} shows an override as it is`);
    }
    assert.equal(dialogs, 0);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
});
