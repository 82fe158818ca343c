// Buckets on a real S3 store, and what the console says once the store is gone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, inWindow, openBrowser, press, said, scrollsSideways, shoot } from '../lib/browser.mjs';
import { api, client, startServer } from '../lib/server.mjs';
import { startStore } from '../lib/store.mjs';

let browser;
let server;
let store;
let rest;

before(async () => {
  [browser, server, store] = await Promise.all([openBrowser(), startServer(), startStore()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
});
after(async () => {
  await browser?.close();
  await store?.stop();
  await server?.stop();
});

const at = (test, options) => inWindow(browser, server, 'ana', test, options);
const FILE = '/buckets/exports/ns/eu/tables/orders.csv';
const LANCE = '/buckets/far/ns/sales/tables/orders';

test('a store is added by its form, its key never shown again, and a wrong key said', () => at(async (page) => {
  const { endpoint, region, keys } = store.storage('far-store', 'lake/main');
  await page.goto('/settings/storage');
  const form = page.locator('form[action="/settings/storage/s3"]');
  const fill = async (secret) => {
    await form.getByLabel('Name').fill('far-store');
    await form.getByLabel('Bucket and prefix').fill('lake/main');
    await form.getByLabel('Endpoint', { exact: true }).fill(endpoint);
    await form.getByLabel('Region').fill(region);
    await form.getByLabel('Access key id').fill(keys.access_key_id);
    await form.getByLabel('Secret key').fill(secret);
    await press(page, 'Add S3 storage', form);
  };
  await fill('not-the-secret');
  await page.getByRole('alert').waitFor();
  assert.equal(await form.getByLabel('Access key id').inputValue(), keys.access_key_id);
  assert.equal(await form.getByLabel('Secret key').inputValue(), '', 'a secret does not come back');
  await shoot(page, 'storage-refused');
  await fill(keys.secret_access_key);
  assert.match(await said(page), /far-store passed its check/);
  assert.ok(!(await page.content()).includes(keys.secret_access_key));
  await shoot(page, 'storage-added');
}));

test('a CSV bucket on the store: its card, its files found, its rows', () => at(async (page) => {
  await page.goto('/new-bucket');
  await page.getByRole('radio', { name: /CSV/ }).check();
  await page.getByRole('textbox', { name: 'Name' }).fill('exports');
  await page.getByLabel('Storage').selectOption('far-store');
  await press(page, 'Create bucket');
  assert.equal(new URL(page.url()).pathname, '/buckets/exports');
  store.put('lake/main/exports/eu/orders.csv', 'id,city\n1,Oslo\n2,\n3,"a, b"\n');
  await press(page, 'Find tables');
  assert.match(await said(page), /Found 1 new table/);
  await page.getByRole('link', { name: 'eu' }).click();
  await page.getByRole('link', { name: 'orders.csv' }).click();
  await page.goto(`${FILE}/rows`);
  await page.getByRole('cell', { name: 'a, b' }).waitFor();
  await page.goto(FILE);
  await press(page, 'Observe now');
  await page.getByText(/by plugin csv/).first().waitFor();
  await shoot(page, 'csv-on-s3');
}));

test('a Lance bucket on the store: written by a client, rows by the console', () => at(async (page) => {
  await rest.post('/api/v1/buckets', { name: 'far', format: 'lance', storage: 'far-store' });
  client('table', server.url, rest.token, 'far$sales$orders', 90);
  await page.goto(`${LANCE}/rows`);
  await page.getByText('Rows 1 to 50').waitFor();
  await page.goto(LANCE);
  await press(page, 'Observe now');
  await page.locator('.tile', { hasText: 'Rows' }).getByText('90').waitFor();
}));

test('once the store is gone, pages show the last observation, its age and the cause', async () => {
  await store.stop();
  let looks = 0;
  for (const [theme, width] of [['light', 1280], ['dark', 320]]) {
    await at(async (page) => {
      const open = async (path, name, statuses) => {
        const answer = await page.goto(path);
        assert.ok(statuses.includes(answer.status()), `${path}: ${answer.status()}`);
        await page.waitForLoadState('networkidle').catch(() => {});
        const text = await page.locator('main').innerText();
        assert.doesNotMatch(text, /\b0 (rows|tables)\b|No rows|No tables/, `${path} must not say that nothing is there`);
        assert.equal(await scrollsSideways(page), false, path);
        assert.deepEqual(await axe(page), [], path);
        await shoot(page, `unreachable-${name}-${theme}-${width}`);
        return text;
      };
      await open('/', 'overview', [200]);
      await open('/buckets', 'buckets', [200]);
      assert.match(await open('/buckets/far', 'bucket', [200]), /far/);
      // The table's page needs the catalog alone, and the last observation.
      const table = await open(LANCE, 'table', [200]);
      assert.match(table, /Observed .* by native lance/);
      assert.match(table, /90/);
      for (const [base, name] of [[LANCE, 'lance'], [FILE, 'csv']]) {
        assert.match(await open(`${base}/rows`, `rows-${name}`, [502, 503, 504]), /Could not read the rows/);
      }
      assert.match(await open(`${LANCE}/versions`, 'versions', [502, 503, 504]), /Could not read the versions/);
      await page.goto(LANCE);
      await press(page, 'Observe now');
      assert.match(await said(page), /could not be observed/);
      assert.match(await open('/', 'overview-failed', [200]), /Could not be read[\s\S]*orders/);
      const failed = await open(LANCE, 'table-failed', [200]);
      assert.match(failed, /The last look failed/);
      assert.match(failed, /90/, 'the last observation stays');
      looks += 1;
    }, { theme, width, bypassCSP: true });
  }
  assert.equal(looks, 2);
});

test('a storage that is gone is said by its check, and the others go on', () => at(async (page) => {
  await page.goto('/settings/storage');
  const row = page.getByRole('row', { name: /far-store/ });
  await press(page, 'Check', row);
  await page.getByText(/did not answer|could not be reached|cannot be reached|refused/i).first().waitFor();
  await shoot(page, 'storage-check-failed');
  await rest.post('/api/v1/buckets', { name: 'near', format: 'lance' });
  client('table', server.url, rest.token, 'near$sales$orders', 3);
  await page.goto('/buckets/near/ns/sales/tables/orders/rows');
  await page.getByText('Rows 1 to 3').waitFor();
}));
