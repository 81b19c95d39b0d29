import t from 'tap'
import type { Page } from 'playwright-core'
import { goTo, isDrawn, noBrowser, openBrowser, openPaired, runIn, settlesAt, sizes } from './browser.ts'
import { startService, until, wants } from '../support/helper.ts'

wants(t, noBrowser)
const service = await startService({ env: { SHELLPHONE_POLICY: 'open' } })
const browser = await openBrowser()
t.teardown(() => Promise.all([browser.close(), service.stop()]))

const boundsOf = (page: Page, selector: string) =>
  page.evaluate<{ left: number; right: number; top: number; bottom: number; height: number }[]>(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.getBoundingClientRect().toJSON())`,
  )
/** The number of controls in each row of the filters. */
const rowsOfFilters = async (page: Page) => {
  const tops = (await boundsOf(page, '.run-filters > :not(.filter-fields), .filter-fields > *'))
    .filter(({ height }) => height > 0)
    .map(({ top }) => Math.round(top))
  return [...new Set(tops)].map((top) => tops.filter((one) => one === top).length)
}

t.test('the filters of runs fill their rows', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/runs', viewport: sizes.phone })
  const button = page.getByRole('button', { name: 'Filters' })
  await settlesAt(t, () => rowsOfFilters(page), [2], 'on a phone: the search and a button')
  await button.click()
  await settlesAt(t, () => rowsOfFilters(page), [2, 2, 2, 1], 'which opens pairs, then the checkbox')
  t.same(
    (await boundsOf(page, '.run-filters .check')).map(({ height }) => height),
    [44],
    'its label is one line',
  )
  await page.getByLabel('Status').selectOption('failed')
  await page.getByLabel('File operations').check()
  await button.click()
  await settlesAt(t, () => rowsOfFilters(page), [2], 'and closes them')
  await page.getByRole('button', { name: 'Filters 2 active' }).waitFor()
  await page.setViewportSize({ width: 844, height: 390 })
  const [filters] = await boundsOf(page, '.run-filters')
  t.ok(filters!.right <= 844, 'they fit on a phone on its side')
  await page.setViewportSize(sizes.laptop)
  await settlesAt(t, () => rowsOfFilters(page), [5, 1], 'on a laptop: one row, then the checkbox')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the buttons of the output and of a title fill one row on a phone', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { viewport: sizes.phone })
  const id = await runIn(page, 'echo done')
  const rowsOf = async (selector: string) => new Set((await boundsOf(page, selector)).map(({ top }) => Math.round(top)))
  await goTo(page, `#/runs/${id}`)
  await page.getByRole('button', { name: 'Download stdout' }).waitFor()
  t.equal((await rowsOf('.tools .button')).size, 1, 'the buttons of the output')
  const both = await runIn(page, 'echo out; echo err >&2')
  await goTo(page, `#/runs/${both}`)
  await page.getByRole('button', { name: 'Download stderr' }).waitFor()
  t.equal((await rowsOf('.tools .button')).size, 1, 'the buttons of an output with both streams')
  const captions = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.tools .button')].map((one) => one.textContent + getComputedStyle(one, '::after').content)`,
  )
  t.same(
    captions.map((caption) => caption.replace(/ \/ ""$|none$/, '').replaceAll('"', '')),
    ['Error', 'Lines', 'When', 'Find', 'Wrap', 'Copy', 'stdout', 'stderr'],
    'their captions',
  )
  const wideCaptions = `[...document.querySelectorAll('.tools .button')]
    .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent + one.dataset.caption)`
  t.same(await page.evaluate(wideCaptions), [], 'every caption fits into its button')
  for (const { left, right } of await boundsOf(page, '.tools .button')) t.ok(left >= 0 && right <= sizes.phone.width)
  await goTo(page, '#/approvals')
  const [heading] = await boundsOf(page, 'h1')
  const [manual] = await boundsOf(page, '.title a')
  t.ok(manual!.top < heading!.bottom && manual!.bottom > heading!.top, 'the link to the manual is next to the heading')
  t.same(pageErrors, [])
  await context.close()
})

t.test('on a phone, the buttons of Find are in the row of the count, and “Signal…” is shown whole', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { viewport: sizes.phone })
  await runIn(page, 'seq 1 300')
  await page.getByRole('button', { name: 'Find in the output' }).click()
  await page.getByRole('searchbox', { name: 'Find in the output' }).fill('29')
  await page.getByText(/ of 13$/).waitFor()
  const [input] = await boundsOf(page, '.find input')
  const row = await boundsOf(page, '.find > :not(input)')
  t.equal(row.length, 4, 'the count and three buttons')
  const [top, bottom] = [Math.max(...row.map((one) => one.top)), Math.min(...row.map((one) => one.bottom))]
  t.ok(input!.bottom < top && top < bottom, 'they share a row below the field')
  const { id } = await service.exec({ command: 'sleep 300', background: true })
  await goTo(page, `#/runs/${id}`)
  await page.getByLabel('Signal…').waitFor()
  const [needed, width] = await page.evaluate<[number, number]>(`(() => {
    const select = document.querySelector('.run-controls select')
    const { width } = select.getBoundingClientRect()
    select.style.fieldSizing = 'content'
    select.style.width = 'auto'
    return [select.getBoundingClientRect().width, width]
  })()`)
  t.ok(needed <= width, `“Signal…” needs ${needed} of ${width} pixels`)
  const tops = new Set((await boundsOf(page, '.run-controls .buttons > *')).map(({ top }) => top))
  t.equal(tops.size, 1, 'Cancel, Interrupt and Signal… are in one row')
  await service.post(`/runs/${id}/cancel`, {})
  t.same(pageErrors, [])
  await context.close()
})

t.test('an unticked checkbox is empty with a border, and a click ticks it', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/runs', colorScheme: 'dark' })
  const checkbox = page.getByRole('checkbox', { name: 'File operations' })
  const style = () =>
    page.evaluate<string[]>(`(() => {
      const { appearance, backgroundColor, borderTopWidth } = getComputedStyle(document.querySelector('.run-filters .check input'))
      return [appearance, backgroundColor, borderTopWidth]
    })()`)
  await settlesAt(t, style, ['none', 'rgba(0, 0, 0, 0)', '2px'], 'unticked')
  const before = await checkbox.boundingBox()
  await checkbox.check()
  await settlesAt(t, async () => (await style())[0], 'auto', 'ticked')
  t.same(await checkbox.boundingBox(), before, 'a tick does not move it')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the output has room at 200 % zoom', async (t) => {
  for (const { width, height } of Object.values(sizes)) {
    const { page, context, pageErrors } = await openPaired(browser, service, {
      viewport: { width: width / 2, height: height / 2 },
    })
    await runIn(page, 'seq 1 300; seq 1 300 >&2')
    const heightOf = async () => (await boundsOf(page, '.screen'))[0]?.height ?? 0
    t.ok(await until(async () => (await heightOf()) >= 150), `${await heightOf()} pixels of ${height / 2}`)
    t.same(pageErrors, [])
    await context.close()
  }
})

t.test('a run shows lines of its output at once at 200 % zoom and with large text', async (t) => {
  for (const [name, viewport, flags] of [
    ['a laptop at 200 % zoom', { width: 640, height: 360 }, []],
    ['a phone on its side', { width: 844, height: 390 }, []],
    ['a phone with text at 150 %', sizes.phone, ['--blink-settings=defaultFontSize=24']],
  ] as const) {
    const own = await openBrowser([...flags])
    t.teardown(() => own.close())
    const { page, pageErrors } = await openPaired(own, service, { viewport })
    const { id } = await service.exec({ command: 'sleep 1; seq 1 300; echo oops >&2' }) // a short duration is short text
    await goTo(page, `#/runs/${id}`)
    await page.getByText('approximate').waitFor()
    const isShown = () =>
      page.evaluate<boolean>(`(() => {
        const { left, top } = document.querySelector('.screen').getBoundingClientRect()
        return document.elementFromPoint(left + 20, top + 40)?.closest('.screen') != null
      })()`)
    t.ok(await until(isShown), `${name}: two lines`)
    await page.evaluate("document.querySelector('.screen').scrollIntoView()")
    const [screen] = await boundsOf(page, '.screen')
    t.ok(screen!.bottom - screen!.top >= 150, `${name}: the whole output is high enough`)
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    t.equal(await page.evaluate(overflow), 0, `${name}: nothing overflows to the side`)
    t.same(pageErrors, [])
    await own.close()
  }
})

t.test('a wide screen is used', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { viewport: { width: 1920, height: 1080 } })
  for (const view of ['runs', 'settings', 'access', 'phone']) {
    await goTo(page, `#/${view}`)
    const right = async () => Math.max(...(await boundsOf(page, 'main > *')).map((bounds) => bounds.right))
    t.ok(await until(async () => (await right()) > 1700), `${view} ends at ${await right()} of 1920 pixels`)
    await until(async () => (await page.locator('.loading').count()) === 0)
    t.ok((await right()) > 1700, `${view} with its data ends at ${await right()}`)
  }
  t.same(pageErrors, [])
  await context.close()
})

t.test('a group of settings that opens leaves its neighbour as it is', async (t) => {
  const wide = { viewport: { width: 1920, height: 1080 }, view: '#/settings' }
  const { page, context, pageErrors } = await openPaired(browser, service, wide)
  await page.locator('.setting-group').nth(1).waitFor()
  const heights = async () => (await boundsOf(page, '.setting-group')).slice(0, 2).map(({ height }) => height)
  const [closed] = await heights()
  await page.locator('.setting-group summary').first().click()
  t.ok(await until(async () => (await heights())[0]! > 2 * closed!), 'it is open')
  t.equal((await heights())[1], closed, 'the group beside it is as high as before')
  t.same(pageErrors, [])
  await context.close()
})

t.test('the output of a run begins in the upper part of the screen', async (t) => {
  for (const [name, highest] of [
    ['phone', 520],
    ['laptop', 430],
  ] as const) {
    const { page, context, pageErrors } = await openPaired(browser, service, { viewport: sizes[name] })
    const id = await runIn(page, 'seq 1 20000; echo oops >&2')
    await goTo(page, `#/runs/${id}`)
    await page.getByText('approximate').waitFor()
    await page.getByRole('button', { name: 'Go to the beginning' }).waitFor()
    await isDrawn(page)
    const top = (await boundsOf(page, '.screen'))[0]!.top
    t.ok(top < highest, `at ${top} of ${sizes[name].height} pixels`)
    const buttons = await boundsOf(page, '.run-summary > :not(.run-end), .run-summary .run-end > [role=status]')
    const [status] = buttons
    for (const one of buttons) t.ok(one.top < status!.bottom && one.bottom > status!.top, 'the summary is one line')
    t.same(pageErrors, [])
    await context.close()
  }
})

t.test('the list of keys fits on a screen of 800 pixels', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/phone' })
  await page.keyboard.press('?')
  await page.locator('dialog.help').hover({ trial: true }) // waits until it stands still
  const [dialog] = await boundsOf(page, 'dialog.help')
  const [last] = await boundsOf(page, 'dialog.help > :last-child')
  t.ok(
    last!.bottom <= dialog!.bottom && dialog!.bottom <= 800,
    `its end, at ${last!.bottom}, is visible without scrolling`,
  )
  t.same(pageErrors, [])
  await context.close()
})

t.test('the copy buttons of settings are in line', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {
    view: '#/settings',
    viewport: sizes.phone,
  })
  await page.getByLabel('Search').fill('a')
  await page.locator('.setting').first().waitFor()
  const rights = new Set((await boundsOf(page, '.setting .button')).map(({ right }) => Math.round(right)))
  t.equal(rights.size, 1, `their right edges: ${[...rights]}`)
  t.same(pageErrors, [])
  await context.close()
})

t.test('the fields of a form are aligned, whatever the length of their hints', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, { view: '#/access' })
  await page.getByText('For an agent, with only').click()
  await page.locator('form .two select').nth(1).waitFor()
  await isDrawn(page)
  const selects = await boundsOf(page, 'form .two select')
  t.same([...new Set(selects.map(({ height }) => height))], [44], 'New token: each list has the same height')
  t.equal(new Set(selects.slice(0, 2).map(({ top }) => top)).size, 1, 'New token: the first row is aligned')
  await goTo(page, '#/run')
  await page.getByText('Options', { exact: true }).click()
  await page.getByLabel('Timeout in seconds').waitFor()
  await isDrawn(page)
  const fields = await boundsOf(page, '.options .columns :is(input, select)')
  t.equal(fields.length, 4)
  t.same([...new Set(fields.map(({ height }) => height))], [44], 'Options: each field has the same height')
  t.equal(new Set(fields.map(({ top }) => top)).size, 1, 'Options: the fields are aligned')
  t.same(pageErrors, [])
  await context.close()
})

t.test('a toggle under the mouse shows whether it is on', async (t) => {
  const { page, context, pageErrors } = await openPaired(browser, service, {})
  const id = await runIn(page, 'echo done')
  await goTo(page, `#/runs/${id}`)
  const toggle = page.getByRole('button', { name: 'Wrap long lines' })
  await toggle.hover()
  const styleOf = () =>
    page.evaluate<string>(
      `(({ color, backgroundColor }) => color + ' on ' + backgroundColor)(getComputedStyle(document.querySelector('[aria-label="Wrap long lines"]')))`,
    )
  const isPressed = () => toggle.getAttribute('aria-pressed')
  await settlesAt(t, isPressed, 'true', 'it is on')
  const on = await styleOf()
  await toggle.click()
  t.ok(await until(async () => (await isPressed()) === 'false'))
  t.ok(await until(async () => (await styleOf()) !== on), 'its colours differ')
  t.same(pageErrors, [])
  await context.close()
})
