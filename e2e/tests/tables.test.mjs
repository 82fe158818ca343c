// What becomes of a table: declared, written, tagged, branched, put into Trash, restored, dropped.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inWindow, openBrowser, press, said, shoot } from '../lib/browser.mjs';
import { api, client, startServer } from '../lib/server.mjs';

let browser;
let server;
let rest;

before(async () => {
  [browser, server] = await Promise.all([openBrowser(), startServer()]);
  server.addUser('ana', 'admin');
  rest = api(server.url, server.token('test', 'admin'));
  await rest.post('/api/v1/buckets', { name: 'shop', format: 'lance' });
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const page = (name, tab = '') => `/buckets/shop/ns/sales/tables/${name}${tab}`;
const folder = (name) => join(server.data, 'buckets/shop/sales', name);
const make = (name, rows = 120) => client('table', server.url, rest.token, `shop$sales$${name}`, rows);
const exists = (name) => rest.get(`/api/v1${page(name).replace('/ns/', '/namespaces/')}`).then(() => true, () => false);
const at = (test) => inWindow(browser, server, 'ana', test);

test('a table is dropped only when its name is typed, and then its bytes are gone', () => at(async (window) => {
  make('orders');
  assert.ok(existsSync(folder('orders')));
  await window.goto(page('orders', '/settings'));
  const confirm = window.getByLabel('Type the name of the table to drop it');
  await confirm.fill('order');
  await press(window, 'Drop the table');
  assert.match(await window.getByRole('alert').innerText(), /Type orders to drop the table/);
  assert.equal(await confirm.inputValue(), 'order', 'what was typed stays');
  await shoot(window, 'drop-refused');
  assert.ok(await exists('orders'));

  await confirm.fill('orders');
  await press(window, 'Drop the table');
  assert.equal(new URL(window.url()).pathname, '/buckets/shop/ns/sales');
  assert.match(await said(window), /The table orders and its data are gone/);
  assert.equal(await exists('orders'), false);
  assert.equal(existsSync(folder('orders')), false);
}));

test('a protected table cannot be dropped, and says so', () => at(async (window) => {
  make('kept');
  await window.goto(page('kept', '/settings'));
  await press(window, 'Protect');
  assert.match(await said(window), /The table is protected/);
  assert.equal(await window.getByRole('button', { name: 'Drop the table' }).count(), 0);
  await window.getByText('A protected table cannot be dropped').waitFor();
  await press(window, 'Take protection off');
  assert.equal(await window.getByRole('button', { name: 'Drop the table' }).count(), 1);
}));

test('Trash keeps the data: restored under its name, under another, and deleted for good', () => at(async (window) => {
  make('stock');
  await window.goto(page('stock', '/settings'));
  await press(window, 'Move to Trash');
  assert.match(await said(window), /stock is in Trash\. Its data was kept/);
  assert.ok(existsSync(folder('stock')));

  await window.goto('/buckets/shop/trash');
  await window.getByRole('cell', { name: 'sales.stock' }).waitFor();
  await shoot(window, 'trash');
  await press(window, 'Restore');
  assert.equal(new URL(window.url()).pathname, page('stock'));
  assert.match(await said(window), /stock was restored/);
  await window.goto(page('stock', '/rows'));
  await window.getByRole('cell', { name: 'Oslo' }).first().waitFor();

  // Its name is taken by another table meanwhile.
  await window.goto(page('stock', '/settings'));
  await press(window, 'Move to Trash');
  make('stock', 3);
  await window.goto('/buckets/shop/trash');
  await press(window, 'Restore');
  await window.getByRole('heading', { level: 1, name: 'Restore stock' }).waitFor();
  await shoot(window, 'trash-name-taken');
  await window.getByLabel('Restore as').fill('stock-before');
  await press(window, 'Restore');
  assert.equal(new URL(window.url()).pathname, page('stock-before'));

  await window.goto(page('stock-before', '/settings'));
  await press(window, 'Move to Trash');
  await window.goto('/buckets/shop/trash');
  await window.getByRole('link', { name: 'Delete for good' }).click();
  const confirm = window.getByLabel(/Type stock-before to confirm/);
  await confirm.fill('stock');
  await press(window, 'Delete for good');
  await window.getByRole('alert').waitFor();
  await shoot(window, 'trash-delete-refused');
  await confirm.fill('stock-before');
  await press(window, 'Delete for good');
  assert.match(await said(window), /stock-before/);
  assert.equal(existsSync(folder('stock')), false, 'its bytes lay where the table was first made');
  assert.ok(await exists('stock'), 'the table that took the name is untouched');
}));

test('a deregistered table is registered again where it lies', () => at(async (window) => {
  make('returns');
  const { location } = await rest.get('/api/v1/buckets/shop/namespaces/sales/tables/returns');
  await window.goto(page('returns', '/settings'));
  await press(window, 'Move to Trash');
  assert.equal(await exists('returns'), false);
  const named = encodeURIComponent('shop$sales$returns');
  await rest.post(`/lance/v1/table/${named}/register`, { location });
  await window.goto(page('returns', '/rows'));
  await window.getByRole('cell', { name: 'Oslo' }).first().waitFor();
  await window.goto('/buckets/shop/trash');
  assert.equal(await window.getByRole('cell', { name: 'sales.returns' }).count(), 0, 'Trash lets it go');
}));

test('a declared table says so until a client writes it', () => at(async (window) => {
  const location = client('declare', server.url, rest.token, 'shop$sales$later');
  await window.goto('/buckets/shop/ns/sales');
  await window.getByRole('row', { name: /later/ }).getByText('Declared').waitFor();
  for (const tab of ['', '/rows', '/versions']) {
    await window.goto(page('later', tab));
    await window.getByText('Declared, never written').waitFor();
    assert.equal(await window.getByText(/\b0 rows\b/).count(), 0, `${tab} must not speak of zero rows`);
    await shoot(window, `declared${tab.replace('/', '-')}`);
  }
  client('write', location, 7);
  await window.goto(page('later', '/rows'));
  await window.getByText('Rows 1 to 7').waitFor();
  await window.goto(page('later'));
  assert.equal(await window.getByText('Declared').count(), 0);
  await press(window, 'Observe now');
  await window.getByText(/by native lance/).first().waitFor();
  await window.locator('.tile', { hasText: 'Rows' }).getByText('7', { exact: true }).waitFor();
}));

test('a tag and a branch lead to their rows', () => at(async (window) => {
  make('marked', 5);
  client('refer', folder('marked'), 'gold', 'trial');
  await window.goto(page('marked'));
  await press(window, 'Observe now');
  await window.getByRole('link', { name: 'gold' }).waitFor();
  await shoot(window, 'references');

  await window.getByRole('link', { name: 'gold' }).click();
  await window.getByText('Rows 1 to 5').waitFor();
  assert.equal(await window.getByLabel('Version').inputValue(), 'tag:gold');
  await window.goto(page('marked'));
  await window.getByRole('link', { name: 'trial' }).click();
  await window.getByText('Rows 1 to 6').waitFor();
  assert.equal(await window.getByLabel('Version').inputValue(), 'branch:trial');
  await shoot(window, 'rows-of-a-branch');
  await window.goto(page('marked', '/rows'));
  await window.getByText('Rows 1 to 8').waitFor();

  await window.goto(page('marked', '/versions'));
  await window.getByText('tag gold').waitFor();
  await window.getByRole('link', { name: 'Rows of version 1', exact: true }).click();
  await window.getByText('Rows 1 to 5').waitFor();
  // A tag that is gone is said, not shown as an empty table.
  const answer = await window.goto(page('marked', '/rows?at=tag:lost'));
  assert.equal(answer.status(), 404);
  await window.getByText('These rows cannot be shown').waitFor();
}));
