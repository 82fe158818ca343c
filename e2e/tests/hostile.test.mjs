// Names and text that would be markup, a path or a direction mark, on every page that shows them.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inWindow, openBrowser, press, scrollsSideways, shoot } from '../lib/browser.mjs';
import { api, client, startServer } from '../lib/server.mjs';

const HOSTILE = '<img src=x onerror=alert(1)> \u202Ea/b%2F#? 表 🐧';
const LONG = 'x'.repeat(240);
let browser;
let server;
let rest;

before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
  await rest.post('/api/v1/buckets', { name: 'odd', format: 'lance', description: HOSTILE, properties: { [HOSTILE]: HOSTILE, [LONG]: LONG } });
  client('table', server.url, rest.token, 'odd$ns$text', 8, 'hostile');
  await rest.patch('/api/v1/buckets/odd/namespaces/ns/tables/text', { properties: { [HOSTILE]: HOSTILE, [LONG]: LONG } });
  await rest.post('/api/v1/buckets', { name: 'files', format: 'csv' });
  const folder = join(server.data, 'buckets/files/eu');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'odd.csv'), `"${HOSTILE}",b\n"${HOSTILE}",2\n"=cmd()",3\n`);
  writeFileSync(join(folder, `<img src=x onerror=alert(1)> \u202E.csv`), 'a,b\n1,2\n');
  writeFileSync(join(folder, `${LONG}.csv`), 'a,b\n1,2\n');
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const TEXT = '/buckets/odd/ns/ns/tables/text';
const FILE = '/buckets/files/ns/eu/tables/odd.csv';

for (const [theme, width] of [['light', 1280], ['dark', 320]]) {
  test(`hostile text stays text on every page, ${theme} at ${width}`, () => inWindow(browser, server, 'ana', async (page) => {
    let dialogs = 0;
    page.on('dialog', (dialog) => { dialogs += 1; dialog.dismiss(); });
    const looks = async (path, name) => {
      if (path) {
        const answer = await page.goto(path);
        assert.ok(answer.status() < 500, `${path}: ${answer.status()}`);
      }
      await page.waitForLoadState('networkidle').catch(() => {});
      assert.equal(await page.locator('main img[src="x"]').count(), 0, `${name} made an element of a name`);
      assert.ok(!(await page.locator('main').innerText()).includes('\u202E'), `${name} shows an override as it is`);
      assert.ok(!(await page.title()).includes('\u202E'), `${name} has an override in its title`);
      assert.equal(await scrollsSideways(page), false, `${name} scrolls sideways`);
      await shoot(page, `hostile-${name}-${theme}-${width}`);
    };
    await page.goto('/buckets/files');
    await press(page, 'Find tables');
    await looks(null, 'scan');
    await looks('/buckets/files/ns/eu', 'namespace');
    await looks('/buckets/odd', 'bucket');
    await looks('/buckets/odd/settings', 'bucket-settings');
    for (const base of [TEXT, FILE]) {
      await page.goto(base);
      await press(page, 'Observe now');
      const kind = base === TEXT ? 'lance' : 'csv';
      await looks(base, `${kind}-overview`);
      await looks(`${base}/rows`, `${kind}-rows`);
      await looks(`${base}/rows?row=0`, `${kind}-row`);
      await looks(`${base}/settings`, `${kind}-settings`);
    }
    await looks(`${TEXT}/versions`, 'versions');
    await looks(`${TEXT}/connect`, 'connect');
    const filter = encodeURIComponent(JSON.stringify([[HOSTILE], 'eq', HOSTILE]));
    await looks(`${TEXT}/rows?filter=${filter}`, 'filtered');
    await page.getByText('Rows 1 to 8').waitFor();
    await looks(`${TEXT}/rows?filter=${encodeURIComponent(JSON.stringify([['no ' + HOSTILE], 'eq', '1']))}`, 'refused');
    await looks(`${TEXT}/rows?at=${encodeURIComponent(`tag:${HOSTILE}`)}`, 'no-such-tag');
    await looks(`/buckets?search=${encodeURIComponent(HOSTILE)}`, 'search');
    await looks(`/jobs?search=${encodeURIComponent(HOSTILE)}&kind=${encodeURIComponent(HOSTILE)}`, 'jobs');
    await looks(`/settings/audit?actor=${encodeURIComponent(HOSTILE)}`, 'audit-search');
    await looks('/settings/audit', 'audit');
    await looks('/settings/users', 'users');
    await looks(`/buckets/${encodeURIComponent(HOSTILE)}`, 'no-such-bucket');
    assert.equal(dialogs, 0);
  }, { theme, width }));
}

test('downloads keep hostile text exact, and no formula runs', () => inWindow(browser, server, 'ana', async (page) => {
  const lines = await (await page.request.get(`${TEXT}/rows/download?format=json-lines`)).text();
  assert.equal(Object.keys(JSON.parse(lines.split('\n')[0]))[0], HOSTILE);
  const csv = await (await page.request.get(`${FILE}/rows/download?format=csv`)).text();
  assert.ok(!/(^|,)"?=cmd/m.test(csv), csv);
}));
