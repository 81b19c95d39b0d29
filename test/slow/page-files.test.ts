import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { goTo, noBrowser, openBrowser, openPaired, settlesAt, shotFolder, sizes } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const folder = mkdtempSync(join(tmpdir(), 'shellphone-page-files-'))
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(async () => {
  await Promise.all([browser.close(), service.stop()])
  rmSync(folder, { recursive: true, force: true })
})
mkdirSync(join(folder, 'notes/deep'), { recursive: true })
writeFileSync(join(folder, 'notes/todo.txt'), 'buy milk\n')
writeFileSync(join(folder, 'big.bin'), Buffer.alloc(3_000_000, 'x'))
symlinkSync('notes/todo.txt', join(folder, 'link'))

const addressOf = (path: string) => `#/files?${new URLSearchParams({ path })}`
/** A PNG image of one pixel. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** Clicks an action of an entry: an icon in its row or, on a phone, a button in its menu. */
async function pressAct(page: Page, name: string, label: string): Promise<void> {
  if (page.viewportSize()!.width === sizes.phone.width) {
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  }
  await page.getByRole('button', { name: label, exact: true }).click()
}

/** A service that asks before it changes files. */
async function supervised(t: Test) {
  const asking = await startService({
    env: { SHELLPHONE_POLICY: 'supervised', SHELLPHONE_APPROVAL_TIMEOUT_SECONDS: '600' },
  })
  t.teardown(() => asking.stop())
  const approvals = async () =>
    ((await (await asking.request('/approvals')).json()) as { approvals: { id: string }[] }).approvals
  return { asking, approvals }
}

/** The console error for a response with status 403 or 412. */
const refused = /status of 4(03|12)/

t.test('lists a directory, walks through it, and downloads a file', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(folder) })
  const rows = page.locator('.files > li')
  await rows.nth(2).waitFor()
  t.match(await rows.allTextContents(), [/^notes/, /^big\.bin.*3 MB$/, /^link → notes\/todo\.txt/])
  await page.screenshot({ path: join(shotFolder(), 'files-list-laptop.png') })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download big.bin' }).click(),
  ])
  t.equal(download.suggestedFilename(), 'big.bin')
  t.ok(readFileSync(await download.path()).equals(readFileSync(join(folder, 'big.bin'))), 'every byte')
  await rows.getByRole('link', { name: /^notes/ }).click()
  await rows.filter({ hasText: 'todo.txt' }).waitFor()
  await page.getByRole('link', { name: /^deep/ }).click()
  await page.getByText('This directory is empty.').waitFor()
  const crumbs = page.getByRole('navigation', { name: 'Directories above' })
  t.match(await crumbs.getByRole('link').allTextContents(), ['Home', '/'])
  t.same((await crumbs.getByRole('link').allTextContents()).slice(-2), ['notes', 'deep'])
  await crumbs.getByRole('link', { name: 'notes', exact: true }).click()
  await rows.filter({ hasText: 'todo.txt' }).waitFor()
  await rows.filter({ hasText: 'todo.txt' }).getByRole('link').click()
  await page.getByRole('region', { name: 'Content of todo.txt' }).getByText('buy milk').waitFor()
  await goTo(page, addressOf(join(folder, 'link')))
  await page.getByRole('button', { name: 'Download link' }).waitFor()
  await page.getByLabel('Path').fill(join(folder, 'no-such'))
  await page.getByRole('button', { name: 'Open', exact: true }).click()
  await page.locator('.state.failed', { hasText: 'no-such' }).waitFor()
  t.same(
    pageErrors.filter((text) => !/status of 404/.test(text)),
    [],
  )
  await context.close()
})

t.test('shows the start of a text file, an image on demand, and the size of any file', async (t) => {
  const target = join(folder, 'preview')
  mkdirSync(target)
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index} ✓\n`).join('')
  writeFileSync(join(target, 'long.log'), lines)
  writeFileSync(join(target, 'empty'), '')
  writeFileSync(join(target, 'data.bin'), Buffer.from([0xff, 0xfe, 0xfd]))
  writeFileSync(join(target, 'dot.png'), Buffer.from(DOT, 'base64'))
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [/status of 416/], // an empty file has no range
  })
  const open = async (name: string) => {
    await goTo(page, addressOf(target))
    await page.locator('.files').getByRole('link', { name }).click()
    await page.getByRole('button', { name: `Download ${name}` }).waitFor()
  }
  await open('long.log')
  const text = await page.getByRole('region', { name: 'Content of long.log' }).textContent()
  t.ok(text!.length > 50_000 && lines.startsWith(text!), 'its start, without a broken character')
  await page.getByText('This is the first 64 kB.').waitFor()
  await page.getByText(`${(Buffer.byteLength(lines) / 1000).toFixed(1)} kB`).waitFor()
  await open('empty')
  await page.getByText('This file is empty.').waitFor()
  await open('data.bin')
  await page.getByText('There is no preview').waitFor()
  await page.getByText('3 B').waitFor()
  await open('dot.png')
  await page.getByRole('button', { name: 'Show the image' }).click()
  await page.getByRole('img', { name: 'dot.png' }).waitFor()
  t.ok(
    await until(() => page.evaluate<boolean>(`document.querySelector('.file-image').naturalWidth === 1`)),
    'the image was decoded',
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('lines up names, times and sizes, and sorts by a click on a column', async (t) => {
  const target = join(folder, 'columns')
  mkdirSync(join(target, 'directory'), { recursive: true })
  writeFileSync(join(target, 'small.txt'), 'x')
  writeFileSync(join(target, 'large-with-a-long-name.txt'), Buffer.alloc(150_000))
  symlinkSync('small.txt', join(target, 'to-small'))
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  const edges = (selector: string, edge: string) =>
    page.evaluate<number[]>(
      `[...new Set([...document.querySelectorAll('${selector}')].map((one) => Math.round(one.getBoundingClientRect().${edge})))]`,
    )
  await page.locator('.files > li').nth(3).waitFor()
  const columns: [selector: string, edge: string][] = [
    ['.file-name, .column-name', 'left'],
    ['.file-row time, .column-modified', 'left'],
    ['.file-size, .column-size', 'right'],
    ['.file-acts', 'right'],
  ]
  for (const [selector, edge] of columns) t.equal((await edges(selector, edge)).length, 1, selector)
  const firstName = () => page.locator('.files .file-name').first().textContent()
  await page.getByRole('button', { name: 'Size' }).click()
  await settlesAt(t, firstName, 'large-with-a-long-name.txt', 'largest first')
  await page.getByRole('button', { name: 'Size' }).click()
  await settlesAt(t, firstName, 'small.txt', 'smallest first')
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await settlesAt(t, firstName, 'directory', 'by name')
  await page.setViewportSize(sizes.phone)
  await page.getByLabel('Order').waitFor()
  const overlaps = await page.evaluate<number>(
    `[...document.querySelectorAll('.files .file-row')].filter((row) =>
      row.querySelector('.file-size').getBoundingClientRect().right > row.querySelector('.file-acts').getBoundingClientRect().left
    ).length`,
  )
  t.equal(overlaps, 0, 'on a phone, no size is below a button')
  t.same(pageErrors, [])
  await context.close()
})

t.test('uploads files with their progress, and replaces one only after asking', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(join(folder, 'notes')),
    viewport: sizes.phone,
    expected: [refused],
  })
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  const input = page.getByLabel('Files to upload')
  const buffer = Buffer.alloc(2_000_000, 'y')
  await input.setInputFiles({ name: 'new.bin', mimeType: 'application/octet-stream', buffer })
  const transfer = page.locator('[aria-label=Transfers] li').first()
  await transfer.getByText('complete').waitFor()
  t.ok(readFileSync(join(folder, 'notes/new.bin')).equals(buffer))
  await page.locator('.files > li', { hasText: 'new.bin' }).waitFor()
  await input.setInputFiles({ name: 'todo.txt', mimeType: 'text/plain', buffer: Buffer.from('buy tea\n') })
  await transfer.getByText('a file with this name already exists').waitFor()
  t.equal(readFileSync(join(folder, 'notes/todo.txt'), 'utf8'), 'buy milk\n', 'the file is unchanged')
  await page.screenshot({ path: join(shotFolder(), 'files-upload-phone.png') })
  await page.getByRole('button', { name: 'Replace the file' }).click()
  await page.getByText('2 complete transfers').waitFor()
  t.equal(readFileSync(join(folder, 'notes/todo.txt'), 'utf8'), 'buy tea\n')
  t.same(pageErrors, [])
  await context.close()
})

t.test('keeps both files, names the target of a refused upload, and dismisses it in any directory', async (t) => {
  const target = join(folder, 'kept')
  mkdirSync(target)
  writeFileSync(join(target, 'a.txt'), 'first\n')
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [refused],
  })
  const upload = (text: string) =>
    page
      .getByLabel('Files to upload')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from(text) })
  const rows = page.locator('[aria-label=Transfers] li')
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  await upload('second\n')
  await rows.getByText('a file with this name already exists').waitFor()
  await upload('third\n')
  await rows.getByText('a file with this name already exists').waitFor()
  t.equal(await rows.count(), 1, 'one row for each file')
  await goTo(page, addressOf(folder))
  await rows.filter({ hasText: join(target, 'a.txt') }).waitFor()
  await page.getByRole('button', { name: 'Keep both' }).click()
  await rows
    .filter({ hasText: join(target, 'a (2).txt') })
    .getByText('complete')
    .waitFor()
  t.equal(readFileSync(join(target, 'a.txt'), 'utf8'), 'first\n')
  t.equal(readFileSync(join(target, 'a (2).txt'), 'utf8'), 'third\n')
  await goTo(page, addressOf(target))
  await upload('fourth\n')
  await rows.getByText('a file with this name already exists').waitFor()
  await page.getByRole('button', { name: 'Keep both' }).click()
  await page.getByText('2 complete transfers').waitFor()
  t.equal(readFileSync(join(target, 'a (3).txt'), 'utf8'), 'fourth\n', 'with the next number that is free')
  t.equal(readFileSync(join(target, 'a (2).txt'), 'utf8'), 'third\n')
  t.same(pageErrors, [])
  await context.close()
})

t.test('asks once about all files of an upload whose names exist, and takes one answer or one for each', async (t) => {
  const target = join(folder, 'batch')
  mkdirSync(target)
  const taken = ['a.txt', 'b.txt', 'c.txt', 'd.txt']
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [refused],
  })
  const rows = page.locator('[aria-label=Transfers] > li')
  const textOf = (name: string) => readFileSync(join(target, name), 'utf8')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('button', { name: 'Upload files' }).waitFor()
  const uploadAll = async (free: string) => {
    for (const name of taken) writeFileSync(join(target, name), 'old')
    await page
      .getByLabel('Files to upload')
      .setInputFiles([...taken, free].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('new') })))
    await rows.filter({ hasText: `4 of 5 files already exist ${target}` }).waitFor()
  }
  await uploadAll('e.txt')
  t.equal(await page.getByRole('button', { name: /^Replace/ }).count(), 1, 'one question for all')
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await page.screenshot({ path: join(shotFolder(), `files-conflicts-${name}.png`) })
  }
  await press('Replace all')
  await settlesAt(
    t,
    async () => taken.map(textOf),
    taken.map(() => 'new'),
    'each is replaced',
  )
  await uploadAll('f.txt')
  await press('Skip all')
  await rows.filter({ hasText: 'already exist' }).waitFor({ state: 'detached' })
  t.same(
    taken.map(textOf),
    taken.map(() => 'old'),
    'none is replaced',
  )
  await uploadAll('g.txt')
  await page.getByText('Answer one by one').click()
  await page.screenshot({ path: join(shotFolder(), 'files-conflicts-one-by-one-laptop.png') })
  await press('Replace the file b.txt')
  await press('Skip c.txt')
  await rows.filter({ hasText: `2 of 5 files already exist ${target}` }).waitFor()
  await press('Keep both')
  const names = [...taken, 'a (2).txt', 'd (2).txt']
  const texts = async () => names.map((name) => existsSync(join(target, name)) && textOf(name))
  await settlesAt(t, texts, ['old', 'new', 'old', 'old', 'new', 'new'], 'each answer')
  t.same(pageErrors, [])
  await context.close()
})

t.test('folds complete transfers into one line, dismisses them at once, and leaves the others', async (t) => {
  const target = join(folder, 'many')
  mkdirSync(target)
  writeFileSync(join(target, 'taken.txt'), 'x')
  for (const [name, viewport] of Object.entries(sizes)) {
    const { page, context, pageErrors } = await openPaired(browser, service, {
      view: addressOf(target),
      viewport,
      expected: [refused],
    })
    const files = ['taken.txt', ...Array.from({ length: 12 }, (_, at) => `${name}-${at}.txt`)]
    const rows = page.locator('[aria-label=Transfers] li')
    await page.getByRole('button', { name: 'Upload files' }).waitFor()
    await page
      .getByLabel('Files to upload')
      .setInputFiles(files.map((file) => ({ name: file, mimeType: 'text/plain', buffer: Buffer.from(file) })))
    const folded = page.locator('details', { hasText: '12 complete transfers' })
    await folded.waitFor()
    t.equal(await rows.count(), 1, 'they have no rows of their own')
    await folded.locator('summary').click()
    await folded.getByText(`${name}-11.txt`, { exact: false }).first().waitFor()
    await folded.locator('summary').click()
    await page.screenshot({ path: join(shotFolder(), `files-many-uploads-${name}.png`) })
    await page.locator('.transfers', { has: folded }).getByRole('button', { name: 'Dismiss' }).last().click()
    await settlesAt(t, () => folded.count(), 0, `${name}: one click dismisses those that are complete`)
    t.match(await rows.textContent(), /taken\.txt.*already exists/)
    t.equal(await rows.count(), 1)
    t.same(pageErrors, [])
    await context.close()
  }
})

t.test('creates a directory, deletes it after a second click, and Runs hides the file operations', async (t) => {
  const target = join(folder, 'new-here')
  mkdirSync(target)
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [/status of 409/],
  })
  const open = page.getByRole('button', { name: 'New directory' })
  await open.click()
  await page.getByPlaceholder('Name of the directory').waitFor()
  await page.keyboard.type('r?')
  await page.keyboard.press('Escape')
  await settlesAt(
    t,
    () => page.evaluate<string>('document.activeElement.textContent'),
    'New directory',
    'Escape closes it',
  )
  await page.keyboard.press('Enter')
  const name = page.getByLabel('Name of the directory')
  t.equal(await name.inputValue(), 'r?', 'letters go into the field, and are no shortcuts')
  await name.fill("a 'b'")
  await page.getByRole('button', { name: 'Create' }).click()
  await page.locator('.files > li', { hasText: "a 'b'" }).waitFor()
  t.ok(existsSync(join(target, "a 'b'")))
  await page.screenshot({ path: join(shotFolder(), 'files-directory-laptop.png') })
  await page.getByRole('button', { name: "Delete a 'b'" }).click()
  t.ok(existsSync(join(target, "a 'b'")), 'one click deletes nothing')
  await page.getByRole('button', { name: "Yes, delete a 'b'" }).click()
  await page.getByText('This directory is empty.').waitFor()
  t.notOk(existsSync(join(target, "a 'b'")))
  await goTo(page, '#/runs')
  await page.locator('.run-row', { hasText: 'mkdir' }).first().waitFor()
  await page.getByText('End of the list.').waitFor()
  t.equal(
    await page.locator('.run-row', { hasText: 'new-here' }).filter({ hasText: 'ls -al' }).count(),
    0,
    'no file operation of this browser',
  )
  await page.getByLabel('File operations').check()
  await page.locator('.run-row', { hasText: 'ls -al' }).first().waitFor()
  await page.screenshot({ path: join(shotFolder(), 'runs-file-operations-laptop.png') })
  t.same(pageErrors, [])
  await context.close()
})

t.test('says why no directory can have a name, before and after the service is asked', async (t) => {
  const target = join(folder, 'named')
  mkdirSync(join(target, 'taken'), { recursive: true })
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  await page.getByRole('button', { name: 'New directory' }).click()
  const name = page.getByLabel('Name of the directory')
  const message = page.locator('.path-form [role=alert]')
  const countRuns = async () => ((await (await service.request('/runs?q=mkdir')).json()) as { runs: [] }).runs.length
  const before = await countRuns()
  /** [name, message] */
  const wrong: [string, string][] = [
    ['', 'A name cannot be empty.'],
    ['a/b', 'A name cannot contain a slash. To use another directory, open it first.'],
    ['..', 'The names . and .. stand for directories. Choose another name.'],
    ['ü'.repeat(128), 'A name can have at most 255 bytes. Choose a shorter name.'],
    ['taken', 'An entry with this name already exists. Choose another name.'],
  ]
  for (const [text, expected] of wrong) {
    await name.fill(text)
    await name.press('Enter')
    await settlesAt(t, () => message.textContent(), expected, expected)
  }
  t.equal(await countRuns(), before, 'no command ran')
  await page.screenshot({ path: join(shotFolder(), 'files-name-taken-laptop.png') })
  mkdirSync(join(target, 'new'))
  await name.fill('new')
  await name.press('Enter')
  await settlesAt(t, countRuns, before + 1, 'the page did not know of the new entry')
  await settlesAt(t, () => message.textContent(), wrong.at(-1)![1], 'the error of mkdir is not shown')
  await page.setViewportSize(sizes.phone)
  await page.screenshot({ path: join(shotFolder(), 'files-name-taken-phone.png') })
  t.same(pageErrors, [])
  await context.close()
})

t.test('deletes a directory after a confirmation that says that everything in it is deleted', async (t) => {
  const target = join(folder, 'filled')
  const filled = join(target, "it's full")
  mkdirSync(join(filled, 'deep'), { recursive: true })
  writeFileSync(join(filled, 'deep/file'), 'x')
  writeFileSync(join(filled, '.hidden'), 'x')
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  const ask = () => pressAct(page, "it's full", "Delete it's full")
  const sure = page.getByRole('button', { name: "Yes, delete it's full and everything in it", exact: true })
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await ask()
    await sure.waitFor()
    await page.screenshot({ path: join(shotFolder(), `files-delete-filled-${name}.png`) })
    await page.getByRole('button', { name: 'Cancel' }).click()
  }
  t.ok(existsSync(join(filled, 'deep/file')), 'Cancel deletes nothing')
  await ask()
  await sure.click()
  await page.getByText('This directory is empty.').waitFor()
  t.notOk(existsSync(filled))
  t.same(pageErrors, [])
  await context.close()
})

t.test('shows why a directory was not deleted below its name', async (t) => {
  const target = join(folder, 'changed')
  mkdirSync(join(target, 'late'), { recursive: true })
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    expected: [/status of 409/],
  })
  const message = page.getByRole('alert').filter({ hasText: 'directory not empty' })
  for (const [name, size] of Object.entries(sizes)) {
    rmSync(join(target, 'late/file'), { force: true })
    await page.setViewportSize(size)
    const bin = page.getByRole('button', { name: name === 'phone' ? 'Actions for late' : 'Delete late', exact: true })
    const before = await bin.boundingBox()
    await pressAct(page, 'late', 'Delete late')
    await message.waitFor({ state: 'detached' })
    const sure = page.getByRole('button', { name: 'Yes, delete late', exact: true })
    await sure.waitFor()
    writeFileSync(join(target, 'late/file'), 'x')
    await sure.click()
    await message.waitFor()
    const after = await bin.boundingBox()
    t.same([after!.x, after!.y], [before!.x, before!.y], `${name}: the button stays`)
    t.ok((await message.boundingBox())!.y >= after!.y + after!.height, `${name}: the error is below it`)
    await page.screenshot({ path: join(shotFolder(), `files-not-empty-${name}.png`) })
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('a change that waits for approval says so in its row, which the pending approvals do not cover', async (t) => {
  const { asking, approvals } = await supervised(t)
  const target = join(folder, 'asked')
  mkdirSync(target)
  for (let at = 10; at < 40; at++) writeFileSync(join(target, `row-${at}`), 'x')
  const { page, context, pageErrors } = await openPaired(browser, asking, {
    view: addressOf(target),
    expected: [/status of 403/],
  })
  const row = page.locator('.files > li', { hasText: 'row-39' })
  const waiting = page.locator('.waiting-run', { hasText: 'waiting for approval' })
  /** how many pixels of its controls the bar covers */
  const covered = () =>
    page.evaluate<number>(`(() => {
      const { top } = document.querySelector('.approval-bar').getBoundingClientRect()
      const bottoms = [...document.querySelectorAll('.waiting-run > *')].map((one) => one.getBoundingClientRect().bottom)
      return Math.max(0, ...bottoms.map((bottom) => Math.round(bottom - top)))
    })()`)
  const withdraw = async () => {
    await waiting.getByRole('button', { name: 'Cancel' }).click()
    await waiting.waitFor({ state: 'detached' })
    await page.locator('.approval-bar').waitFor({ state: 'detached' })
  }
  const remove = async () => {
    await pressAct(page, 'row-39', 'Delete row-39')
    await page.getByRole('button', { name: 'Yes, delete row-39' }).click()
    await row.locator(waiting).waitFor()
  }
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await remove()
    await settlesAt(t, covered, 0, `${name}: the bar covers no button of the row`)
    await page.screenshot({ path: join(shotFolder(), `files-waiting-${name}.png`) })
    await withdraw()
    await row.getByRole('alert').filter({ hasText: 'Withdrawn: the run was canceled' }).waitFor()
    t.ok(existsSync(join(target, 'row-39')))
    await pressAct(page, 'row-39', 'Rename row-39')
    await page.getByLabel('New name of row-39').fill('other')
    await page.keyboard.press('Enter')
    await waiting.waitFor()
    await page.screenshot({ path: join(shotFolder(), `files-rename-waiting-${name}.png`) })
    await withdraw()
    await page.getByRole('alert').filter({ hasText: 'Withdrawn: the run was canceled' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'New directory' }).click()
    await page.getByLabel('Name of the directory').fill('made')
    await page.keyboard.press('Enter')
    await waiting.waitFor()
    await page.screenshot({ path: join(shotFolder(), `files-create-waiting-${name}.png`) })
    await withdraw()
    await page.getByRole('alert').filter({ hasText: 'Withdrawn: the run was canceled' }).waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
  }
  await remove()
  await waiting.getByRole('link', { name: 'Review' }).click()
  await page.locator('.approval-card').getByRole('button', { name: 'Deny' }).click()
  await page.locator('.approval-card').waitFor({ state: 'detached' })
  await page.goBack()
  await row.waitFor()
  await remove()
  await page.reload()
  await row.locator(waiting).waitFor()
  await withdraw()
  await row.waitFor()
  await remove()
  await page.reload()
  await row.locator(waiting).waitFor()
  const [last] = await approvals()
  await asking.post(`/approvals/${last!.id}`, { decision: 'approve' })
  await row.waitFor({ state: 'detached' })
  t.notOk(existsSync(join(target, 'row-39')))
  t.same(pageErrors, [])
  await context.close()
})

t.test('changes that wait for approval are still shown after a reload, with their end', async (t) => {
  const { asking, approvals } = await supervised(t)
  const target = join(folder, 'reloaded')
  mkdirSync(target)
  for (const name of ['a', "it's b", 'c']) writeFileSync(join(target, name), name)
  const { page, context, pageErrors } = await openPaired(browser, asking, {
    view: addressOf(target),
    expected: [/status of 403/],
  })
  const changes = page.getByRole('list', { name: 'Changes that wait for approval' })
  const row = (name: string) => page.locator('.files > li', { hasText: name })
  const answer = async (decision: string) => {
    await until(async () => (await approvals()).length === 1)
    await asking.post(`/approvals/${(await approvals())[0]!.id}`, { decision, by: 'anna' })
  }
  await page.getByRole('button', { name: 'New directory' }).click()
  await page.getByLabel('Name of the directory').fill('made')
  await page.keyboard.press('Enter')
  await changes.getByText(/^mkdir -- .*made/).waitFor()
  t.equal(await page.getByLabel('Name of the directory').count(), 0, 'the form is closed')
  await page.reload()
  await changes.getByText('waiting for approval').waitFor()
  await answer('approve')
  await row('made').waitFor()
  await changes.waitFor({ state: 'detached' })

  const removeTwo = async () => {
    await page.getByRole('button', { name: 'Select', exact: true }).click()
    for (const name of ['a', "it's b"]) await page.getByLabel(`Select ${name}`, { exact: true }).check()
    await page.getByRole('button', { name: 'Delete 2 entries' }).click()
    await page.getByRole('button', { name: 'Yes, delete 2 entries' }).click()
    await changes.getByText('waiting for approval').waitFor()
    t.equal(await page.getByLabel('Select a').count(), 0, 'the selection is closed')
  }
  for (const isReloaded of [true, false]) {
    await removeTwo()
    if (isReloaded) await page.reload()
    await changes.getByText('waiting for approval').waitFor()
    await answer('deny')
    await changes
      .getByRole('alert')
      .filter({ hasText: /^Denied by .*anna.* · / })
      .waitFor()
    await changes.getByRole('button', { name: 'Dismiss' }).click()
    await changes.waitFor({ state: 'detached' })
  }
  await removeTwo()
  await answer('approve')
  await row("it's b").waitFor({ state: 'detached' })
  await changes.waitFor({ state: 'detached' })
  t.same(readdirSync(target).sort(), ['c', 'made'])

  await pressAct(page, 'c', 'Delete c')
  await page.getByRole('button', { name: 'Yes, delete c' }).click()
  await row('c').getByText('waiting for approval').waitFor()
  t.equal(await changes.count(), 0, 'its row shows it')
  await page.reload()
  await row('c').getByText('waiting for approval').waitFor()
  await answer('deny')
  await row('c')
    .getByRole('alert')
    .filter({ hasText: /^Denied by .*anna/ })
    .waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('a waiting rename of the open directory is shown after a reload, and opens the new address', async (t) => {
  const { asking, approvals } = await supervised(t)
  const target = join(folder, 'open before')
  mkdirSync(target)
  const { page, context, pageErrors } = await openPaired(browser, asking, {
    view: addressOf(target),
    expected: [/status of 403/],
  })
  const waiting = page.locator('.waiting-run', { hasText: 'waiting for approval' })
  const changes = page.getByRole('list', { name: 'Changes that wait for approval' })
  const rename = async () => {
    await page.getByRole('button', { name: 'Rename directory open before' }).click()
    await page.getByLabel('New name of open before').fill("it's after")
    await page.keyboard.press('Enter')
    await waiting.waitFor()
    t.equal(await changes.count(), 0, 'its form shows it')
    await page.reload()
    await page.getByText("Rename open before to it's after").waitFor()
    await waiting.waitFor()
    t.equal(await changes.count(), 0, 'once')
  }
  await rename()
  await page.screenshot({ path: join(shotFolder(), 'files-rename-open-waiting.png') })
  await waiting.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('alert').filter({ hasText: 'Withdrawn: the run was canceled' }).waitFor()
  await page.locator('.approval-bar').waitFor({ state: 'detached' })
  await rename()
  const [{ id } = { id: '' }] = await approvals()
  await asking.post(`/approvals/${id}`, { decision: 'approve' })
  await page.getByRole('button', { name: "Rename directory it's after" }).waitFor()
  t.ok(existsSync(join(folder, "it's after")))
  t.same(pageErrors, [])
  await context.close()
})

t.test('a waiting change of an entry on a later page is shown exactly once', async (t) => {
  const { asking } = await supervised(t)
  const target = join(folder, 'later-pages')
  mkdirSync(target)
  for (let at = 1000; at < 2100; at++) writeFileSync(join(target, `row-${at}`), '')
  const { page, context, pageErrors } = await openPaired(browser, asking, { view: addressOf(target) })
  const waiting = page.locator('.waiting-run', { hasText: 'waiting for approval' })
  const changes = page.getByRole('list', { name: 'Changes that wait for approval' })
  const row = page.locator('.files > li', { hasText: 'row-2099' })
  const more = page.getByRole('button', { name: 'More', exact: true })
  const remove = async () => {
    await page.getByRole('button', { name: 'Delete row-2099' }).click()
    await page.getByRole('button', { name: 'Yes, delete row-2099' }).click()
    await row.locator(waiting).waitFor()
  }
  const rename = async () => {
    await page.getByRole('button', { name: 'Rename row-2099' }).click()
    await page.getByLabel('New name of row-2099').fill('row-0000')
    await page.keyboard.press('Enter')
    await waiting.waitFor()
  }
  for (const change of [remove, rename]) {
    await more.click()
    await change()
    t.equal(await changes.count(), 0, 'its row shows it')
    await page.reload()
    await changes.locator(waiting).waitFor()
    t.equal(await row.count(), 0, 'its page is not loaded')
    await more.click()
    await row.locator(waiting).waitFor()
    t.equal(await changes.count(), 0, 'its row shows it again')
    await waiting.getByRole('button', { name: 'Cancel' }).click()
    await row.waitFor({ state: 'detached' }) // the directory is read again, from its first page
    await page.locator('.approval-bar').waitFor({ state: 'detached' })
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('an upload that waits for approval can be canceled, says who denied it, and a reload asks first', async (t) => {
  const { asking, approvals } = await supervised(t)
  const target = join(folder, 'uploaded')
  mkdirSync(target)
  const { page, context, pageErrors } = await openPaired(browser, asking, {
    view: addressOf(target),
    expected: [/status of 403/],
  })
  const name = "it's a.txt"
  const rows = page.getByRole('list', { name: 'Transfers' })
  const upload = async () => {
    const file = { name, mimeType: 'text/plain', buffer: Buffer.from('new') }
    await page.locator('input[type=file]').setInputFiles(file)
    await rows.getByText('waiting for approval').waitFor()
  }
  await upload()
  await rows.getByRole('button', { name: 'Cancel' }).click()
  await rows.waitFor({ state: 'detached' })
  t.ok(await until(async () => (await approvals()).length === 0))
  await upload()
  await asking.post(`/approvals/${(await approvals())[0]!.id}`, { decision: 'deny', by: 'anna' })
  await rows
    .getByRole('alert')
    .filter({ hasText: /^Denied by .*anna.* · / })
    .waitFor()
  await rows.getByRole('button', { name: 'Dismiss' }).click()
  await upload()
  const dialog = page.waitForEvent('dialog')
  const reloaded = page.reload()
  t.equal((await dialog).type(), 'beforeunload')
  await (await dialog).accept()
  await reloaded
  t.ok(await until(async () => (await approvals()).length === 0))
  t.notOk(existsSync(join(target, name)))
  await page.reload() // nothing asks now
  t.same(pageErrors, [])
  await context.close()
})

t.test('asks about a name that the page shows before anybody is asked to approve the upload', async (t) => {
  const { asking, approvals } = await supervised(t)
  const target = join(folder, 'taken')
  mkdirSync(target)
  writeFileSync(join(target, 'a.txt'), 'old')
  const { page, context, pageErrors } = await openPaired(browser, asking, { view: addressOf(target) })
  await page.locator('.files > li', { hasText: 'a.txt' }).waitFor()
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('new') }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Replace the file' }).waitFor()
  t.same(await approvals(), [])
  await page.getByRole('button', { name: 'Replace the file' }).click()
  t.ok(await until(async () => (await approvals()).length === 1))
  await asking.post(`/approvals/${(await approvals())[0]!.id}`, { decision: 'approve' })
  t.ok(await until(() => readFileSync(join(target, 'a.txt'), 'utf8') === 'new'))
  t.same(pageErrors, [])
  await context.close()
})

t.test('uploads that wait for approval leave the page its connections', async (t) => {
  const { asking, approvals } = await supervised(t)
  const target = join(folder, 'many')
  mkdirSync(join(target, 'sub'), { recursive: true })
  const { page, context, pageErrors } = await openPaired(browser, asking, { view: addressOf(target) })
  await page.locator('.files > li', { hasText: 'sub' }).waitFor()
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const files = names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }))
  await page.locator('input[type=file]').setInputFiles(files)
  t.ok(await until(async () => (await approvals()).length === 3))
  await goTo(page, '#/runs')
  await page.getByLabel('File operations').check()
  await page.locator('.run-row', { hasText: 'tee' }).nth(2).waitFor() // another view loads
  await goTo(page, addressOf(target))
  await page.locator('.files > li', { hasText: 'sub' }).waitFor()
  for (let left = names.length; left > 0; left--) {
    const [first] = await approvals()
    await asking.post(`/approvals/${first!.id}`, { decision: 'approve' })
    t.ok(await until(async () => (await approvals()).every(({ id }) => id !== first!.id)))
    t.ok(await until(async () => (await approvals()).length === Math.min(3, left - 1)), `${left - 1} are left`)
  }
  t.ok(await until(() => names.every((name) => existsSync(join(target, name)))))
  t.same(pageErrors, [])
  await context.close()
})

t.test('deletes and downloads several selected entries, and says how many', async (t) => {
  const target = join(folder, 'several')
  mkdirSync(join(target, "it's full/deep"), { recursive: true })
  for (const name of ['$(id).txt', '-r', 'b.txt', 'stays']) writeFileSync(join(target, name), name)
  symlinkSync('stays', join(target, 'link'))
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const select = (name: string) => page.getByLabel(`Select ${name}`, { exact: true }).check()
  await press('Select')
  t.ok(await page.getByRole('button', { name: 'Delete 0 entries' }).isDisabled(), 'nothing is selected')
  await select('$(id).txt')
  await select('b.txt')
  const downloads: string[] = []
  page.on('download', (download) => downloads.push(download.suggestedFilename()))
  await press('Download 2 files')
  await settlesAt(t, async () => downloads.toSorted(), ['$(id).txt', 'b.txt'].toSorted(), 'each file')
  await press('Select')
  for (const [name, size] of Object.entries(sizes)) {
    await page.setViewportSize(size)
    await page.getByLabel('Select all 6').check()
    await page.getByLabel('Select stays', { exact: true }).uncheck()
    await page.screenshot({ path: join(shotFolder(), `files-select-${name}.png`) })
    await press('Delete 5 entries')
    await page.screenshot({ path: join(shotFolder(), `files-select-delete-${name}.png`) })
    await press('Cancel')
  }
  t.ok(existsSync(join(target, 'b.txt')), 'Cancel deletes nothing')
  await press('Delete 5 entries')
  await press('Yes, delete 5 entries and everything in the directories')
  await settlesAt(t, () => page.locator('.files > li').count(), 1, 'the others are deleted')
  t.same(readdirSync(target), ['stays'])
  await page.getByLabel('Select stays').waitFor({ state: 'detached' })
  t.same(pageErrors, [])
  await context.close()
})

/** The kind and the text of the element that has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>(
    '`${document.activeElement.localName} ${document.activeElement.value || document.activeElement.textContent}`',
  )

t.test('the buttons that rename a directory say that it is one', async (t) => {
  const target = join(folder, 'labels')
  mkdirSync(join(target, 'files'), { recursive: true })
  writeFileSync(join(target, 'notes'), '')
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  await page.getByRole('button', { name: 'Rename notes', exact: true }).waitFor()
  const rename = page.getByRole('button', { name: 'Rename directory files', exact: true })
  await rename.waitFor()
  t.equal(await rename.textContent(), '', 'an icon in its row')
  await page.getByRole('link', { name: 'files', exact: true }).click()
  await page.getByText('This directory is empty.').waitFor()
  t.equal(await rename.textContent(), 'Rename directory files', 'a text in the open directory')
  t.same(pageErrors, [])
  await context.close()
})

t.test('renames an entry in its row, replaces nothing, and keeps the focus on it', async (t) => {
  const target = join(folder, 'renamed')
  mkdirSync(join(target, 'directory'), { recursive: true })
  for (const name of ['a.final.txt', 'b', 'new\nline', ...Array.from({ length: 40 }, (_, at) => `row-${at}`)]) {
    writeFileSync(join(target, name), name)
  }
  symlinkSync('nowhere', join(target, 'broken'))
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  const address = page.url()
  await page.getByRole('button', { name: 'Rename a.final.txt' }).click()
  const field = page.getByLabel('New name of a.final.txt')
  await settlesAt(t, () => focused(page), 'input a.final.txt', 'the name is a field with the focus')
  t.equal(await page.evaluate<string>('getSelection().toString()'), 'a.final', 'its stem is selected')
  await page.screenshot({ path: join(shotFolder(), 'files-rename-laptop.png') })
  for (const taken of ['b', 'directory', 'broken']) {
    await field.fill(taken)
    await field.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'already exists. Choose another name.' }).waitFor()
    await field.fill('x/y')
    await field.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'A name cannot contain a slash.' }).waitFor()
  }
  t.equal(readFileSync(join(target, 'a.final.txt'), 'utf8'), 'a.final.txt', 'not moved')
  t.equal(readFileSync(join(target, 'b'), 'utf8'), 'b', 'not replaced')
  await page.keyboard.press('Escape')
  await settlesAt(t, () => focused(page), 'a a.final.txt', 'Escape leaves the focus on the entry')
  await page.keyboard.press('F2')
  await field.waitFor()
  await page.keyboard.type('zz')
  await page.keyboard.press('Enter')
  await settlesAt(t, () => focused(page), 'a zz.txt', 'the renamed entry has the focus')
  const link = page.getByRole('link', { name: 'zz.txt' })
  const { y, height } = (await link.boundingBox())!
  t.ok(y >= 0 && y + height <= sizes.laptop.height, 'and is in view')
  t.equal(readFileSync(join(target, 'zz.txt'), 'utf8'), 'a.final.txt')
  t.equal(page.url(), address, 'without leaving the directory')
  for (const name of [`-n 'x' "$(id)"`, '.hidden', 'last']) {
    await page.keyboard.press('F2')
    await page.getByLabel(/^New name of/).fill(name)
    await page.keyboard.press('Enter')
    await settlesAt(t, () => focused(page), `a ${name}`, name)
    t.ok(existsSync(join(target, name)))
  }
  await page.getByRole('button', { name: /^Rename new.*line/ }).click()
  await page.getByLabel(/^New name of new/).fill('one line')
  await page.keyboard.press('Enter')
  await settlesAt(t, () => focused(page), 'a one line', 'a name with a line break')
  t.equal(readFileSync(join(target, 'one line'), 'utf8'), 'new\nline')
  t.same(pageErrors, [])
  await context.close()
})

t.test('renames an entry in its row on a phone', async (t) => {
  const target = join(folder, 'renamed-row')
  mkdirSync(target)
  writeFileSync(join(target, 'old.txt'), 'x')
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    viewport: sizes.phone,
  })
  await page.getByRole('button', { name: 'Actions for old.txt' }).click()
  await page.screenshot({ path: join(shotFolder(), 'files-actions-phone.png') })
  await page.getByRole('button', { name: 'Rename old.txt' }).click()
  await page.getByLabel('New name of old.txt').fill('new.txt')
  await page.keyboard.press('Enter')
  await settlesAt(t, () => focused(page), 'a new.txt', 'the row has the new name')
  t.ok(existsSync(join(target, 'new.txt')))
  t.same(pageErrors, [])
  await context.close()
})

t.test('finds a renamed entry in a directory with several pages', async (t) => {
  const target = join(folder, 'pages')
  mkdirSync(target)
  for (let at = 1000; at < 2100; at++) writeFileSync(join(target, `row-${at}`), '')
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  await page.getByRole('button', { name: 'Rename row-1000' }).click()
  await page.getByLabel('New name of row-1000').fill('zz')
  await page.keyboard.press('Enter')
  await settlesAt(t, () => focused(page), 'a zz', 'it has the focus')
  t.equal(await page.locator('.files > li').count(), 1100, 'each entry once')
  t.same(pageErrors, [])
  await context.close()
})

t.test('renames the open file on a phone, and one step back leads to its directory', async (t) => {
  const target = join(folder, 'renamed-open')
  mkdirSync(target)
  writeFileSync(join(target, 'old name.txt'), 'x')
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    viewport: sizes.phone,
  })
  await page.getByRole('link', { name: 'old name.txt' }).click()
  const button = page.getByRole('button', { name: 'Rename old name.txt' })
  await button.click()
  await page.screenshot({ path: join(shotFolder(), 'files-rename-phone.png') })
  await page.keyboard.press('Escape')
  await settlesAt(t, () => focused(page), 'button Rename old name.txt', 'Escape returns to the button')
  await button.click()
  await page.keyboard.type('new')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await settlesAt(t, () => focused(page), 'button Rename new.txt', 'the view shows the file under its new name')
  t.ok(existsSync(join(target, 'new.txt')))
  await page.goBack()
  await page.getByRole('link', { name: 'new.txt' }).waitFor()
  t.same(pageErrors, [])
  await context.close()
})

t.test('sorts by name, time and size, and shows hidden files on demand', async (t) => {
  const target = join(folder, 'sorted')
  mkdirSync(target)
  for (const [name, bytes, seconds] of [
    ['a-old.txt', 30, 1000],
    ['b-new.txt', 10, 3000],
    ['c-mid.txt', 20, 2000],
    ['.hidden', 5, 4000],
  ] as const) {
    writeFileSync(join(target, name), Buffer.alloc(bytes))
    utimesSync(join(target, name), seconds, seconds)
  }
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: addressOf(target),
    viewport: sizes.phone,
  })
  const names = () => page.locator('.files .file-name').allTextContents()
  await page.locator('.files > li').nth(2).waitFor()
  /** [order, names] */
  for (const [order, expected] of [
    ['by name', 'abc'],
    ['newest first', 'bca'],
    ['oldest first', 'acb'],
    ['largest first', 'acb'],
    ['smallest first', 'bca'],
  ] as const) {
    await page.getByLabel('Order').selectOption(order)
    await settlesAt(t, async () => (await names()).map((name) => name[0]).join(''), expected, order)
  }
  await page.getByLabel('Hidden files (1)').check()
  await settlesAt(t, names, ['.hidden', 'b-new.txt', 'c-mid.txt', 'a-old.txt'], 'the hidden one, too')
  await page.screenshot({ path: join(shotFolder(), 'files-sorted-phone.png') })
  await page.getByLabel('Hidden files (1)').uncheck()
  await page.getByLabel('Order').selectOption('by name')
  await settlesAt(t, names, ['a-old.txt', 'b-new.txt', 'c-mid.txt'], 'without it again')
  t.same(pageErrors, [])
  await context.close()
})

t.test('sorts directories first, and numbers in names by their value', async (t) => {
  const target = join(folder, 'natural')
  mkdirSync(join(target, 'z-last'), { recursive: true })
  mkdirSync(join(target, 'd10'))
  mkdirSync(join(target, 'd2'))
  for (const name of ['n10.txt', 'n2.txt', 'N3.txt', 'a.txt']) writeFileSync(join(target, name), name)
  const { page, context, pageErrors } = await openPaired(browser, service, { view: addressOf(target) })
  await settlesAt(
    t,
    () => page.locator('.files .file-name').allTextContents(),
    ['d2', 'd10', 'z-last', 'a.txt', 'n2.txt', 'N3.txt', 'n10.txt'],
    'by name',
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('says clearly what the token may not do with files', async (t) => {
  for (const [files, message] of [
    ['read', 'This token\'s right "files" is read: it may not change files here'],
    ['none', 'This token\'s right "files" is none: it may not read files here'],
  ] as const) {
    const visit = await openPaired(browser, service, {
      rights: { files },
      view: addressOf(folder),
      expected: [refused],
    })
    const { page, context, pageErrors } = visit
    if (files === 'read') {
      await page.locator('.files > li').first().waitFor()
      const file = { name: 'never.bin', mimeType: 'text/plain', buffer: Buffer.alloc(20_000_000) }
      await page.getByLabel('Files to upload').setInputFiles(file)
    }
    await page.getByRole('alert').filter({ hasText: message }).waitFor()
    t.same(pageErrors, [], files)
    await context.close()
  }
})
