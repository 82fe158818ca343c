// Buckets over catalogs that people have already: another namespace server, seen through this console.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axe, inWindow, openBrowser, press, said, scrollsSideways, shoot } from '../lib/browser.mjs';
import { startNamespace } from '../lib/namespace.mjs';
import { api, client, startServer, until } from '../lib/server.mjs';

let browser;
let server;
let weed;
let other;
let rest;

before(async () => {
  [browser, server, other, weed] = await Promise.all([openBrowser(), startServer(), startServer(), startNamespace()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
});
after(async () => {
  await browser?.close();
  await Promise.all([server?.stop(), other?.stop(), weed?.stop()]);
});

const at = (test, options) => inWindow(browser, server, 'ana', test, options);

test('the rows of a table in SeaweedFS are read and written through an attached bucket', () => at(async (page) => {
  await page.goto('/new-bucket');
  await page.getByRole('link', { name: 'Attach a namespace server' }).click();
  await page.getByLabel('Name here').fill('weed');
  await page.getByLabel('Address').fill('http://127.0.0.1:1');
  await page.getByLabel('Only this namespace of it').fill('vectors');
  await page.getByLabel('Places that may be opened').fill('s3://vectors');
  await page.getByLabel('Endpoints that may be used').fill(weed.endpoint);
  await press(page, 'Attach server');
  assert.match(await page.getByRole('alert').innerText(), /did not pass its check/);
  assert.equal(await page.getByLabel('Name here').inputValue(), 'weed', 'what was typed stays');
  await shoot(page, 'attach-refused');

  await page.getByLabel('Address').fill(weed.url);
  await press(page, 'Attach server');
  assert.match(await said(page), /The bucket weed is attached/);
  assert.equal(await rest.get('/api/v1/buckets/weed/connection').then((it) => it.refused.length), 0, 'nothing is left out');
  await page.getByRole('link', { name: 'demo' }).click();
  await page.getByRole('link', { name: 'cities' }).click();
  await press(page, 'Observe now');
  await page.getByText(/by native lance/).first().waitFor();
  await shoot(page, 'attach-table');
  await page.getByRole('link', { name: 'Rows' }).click();
  await page.getByText('Rows 1 to 50').waitFor();
  await page.getByRole('cell', { name: 'Oslo' }).first().waitFor();
  await shoot(page, 'attach-rows');
}));

test('the connection says what it can do and which calls were made', () => at(async (page) => {
  await page.goto('/buckets/weed/connection');
  await press(page, 'Check now');
  assert.match(await said(page), /The catalog answered/);
  await page.getByText('Answers').first().waitFor();
  await page.getByText(/It lacks \d+/).waitFor();
  const calls = page.getByRole('region', { name: 'Calls to the attached catalog' });
  await calls.getByText('table/describe').first().waitFor();
  await shoot(page, 'connection');
  assert.deepEqual(await axe(page), []);
}, { bypassCSP: true }));

test('pages about attaching fit a telephone in the dark', () => at(async (page) => {
  for (const [path, name] of [['/new-bucket/upstream', 'attach-upstream'], 
    ['/buckets/weed', 'attached-bucket'], ['/buckets/weed/connection', 'connection-small'], ['/buckets/weed/settings', 'attached-settings']]) {
    await page.goto(path);
    await shoot(page, name);
    assert.equal(await scrollsSideways(page), false, path);
    assert.deepEqual(await axe(page), [], path);
  }
}, { theme: 'dark', width: 320, bypassCSP: true }));

test('without scripts a form that is wrong says where, keeps what was typed, and never a secret', () => at(async (page) => {
  await page.goto('/new-bucket/upstream');
  await page.getByLabel('Name here').fill('second');
  await page.getByLabel('Address').fill('ftp://somewhere');
  await page.getByLabel('Credentials (optional)').fill('Bearer not-to-be-seen');
  await press(page, 'Attach server');
  assert.match(await page.getByRole('alert').innerText(), /Use http or https/);
  assert.equal(await page.getByLabel('Address').getAttribute('aria-invalid'), 'true');
  assert.equal(await page.getByLabel('Name here').inputValue(), 'second');
  assert.ok(!(await page.content()).includes('not-to-be-seen'));
  await shoot(page, 'attach-wrong');
  await page.getByLabel('Address').fill(weed.url);
  await page.getByLabel('Places that may be opened').fill('/etc');
  await press(page, 'Attach server');
  assert.match(await page.getByRole('alert').innerText(), /such as s3:/);
  await page.getByLabel('Places that may be opened').fill('s3://vectors');
  await page.getByLabel('Only this namespace of it').fill('vectors');
  await press(page, 'Attach server');
  assert.match(await said(page), /The bucket second is attached/);
  await page.getByRole('link', { name: 'demo' }).waitFor();
  await page.goto('/buckets/second/settings');
  await press(page, 'Detach bucket');
  await page.goto('/buckets');
  assert.equal(await page.getByRole('link', { name: 'second' }).count(), 0);
}, { scripts: false }));

test('a server that stopped answering leaves its names, their age and the cause', () => at(async (page) => {
  const token = other.token('for-the-gateway', 'editor');
  const theirs = api(other.url, other.token('test', 'admin'));
  await theirs.post('/api/v1/buckets', { name: 'shop', format: 'lance' });
  client('table', other.url, theirs.token, 'shop$sales$orders', 12);
  await page.goto('/new-bucket/upstream');
  await page.getByLabel('Name here').fill('branch-office');
  await page.getByLabel('Address').fill(`${other.url}/lance`);
  await page.getByLabel('Header of the credentials').fill('x-api-key');
  await page.getByLabel('Credentials (optional)').fill(token);
  await page.getByLabel('Only this namespace of it').fill('shop');
  await press(page, 'Attach server');
  assert.match(await said(page), /The bucket branch-office is attached/);
  await page.getByRole('link', { name: 'sales' }).click();
  await page.getByRole('link', { name: 'orders' }).waitFor();
  assert.ok(!(await page.content()).includes(token));

  await other.stop();
  await until('the failure to be noticed', async () => {
    await page.goto('/buckets/branch-office/ns/sales');
    return await page.getByText(/failed lately|cannot be reached/).count() > 0;
  });
  await page.getByRole('link', { name: 'orders' }).waitFor();
  assert.equal(await page.getByText('No tables').count(), 0, 'it never says that there is nothing');
  await shoot(page, 'unreachable-upstream');
  await page.goto('/buckets/branch-office/connection');
  await shoot(page, 'unreachable-connection');

  await page.goto('/buckets/branch-office/settings');
  await press(page, 'Detach bucket');
  assert.match(await said(page), /branch-office/);
}));
