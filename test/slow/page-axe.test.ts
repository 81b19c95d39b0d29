import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { goTo, noBrowser, openBrowser, openPaired, shotFolder, sizes } from './browser.ts'
import { freePort, root } from '../support/helper.ts'
import { addOwn, addressesOf, busyService, isSettled } from './page-service.ts'

const skip = noBrowser ?? false

interface Violation {
  id: string
  nodes: { html: string; failureSummary: string }[]
}

t.test('every view passes axe-core and fits, dark and light, on a phone and a laptop', { skip }, async (t) => {
  const service = await busyService()
  t.teardown(() => service.stop())
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const views = await addressesOf(service)
  const axe = readFileSync(join(root, 'test/slow/node_modules/axe-core/axe.min.js'), 'utf8')
  const { page, context, pageErrors } = await openPaired(browser, service, { bypassCSP: true })
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
  await addOwn(page, service, `http://127.0.0.1:${await freePort()}/hook`)
  await page.evaluate(axe)
  for (const [name, address] of views) {
    await goTo(page, address)
    await isSettled(page)
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const colorScheme of ['dark', 'light'] as const) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        await isSettled(page)
        await page.screenshot({ path: join(shotFolder(), `${name}-${size}-${colorScheme}.png`) })
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        t.equal(overflow, 0, `${name}, ${size}: nothing overflows to the side`)
        const found = (await page.evaluate(
          `axe.run({ runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(({ violations }) => violations)`,
        )) as Violation[]
        const lines = found.map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 200)} ${nodes[0]!.failureSummary}`)
        t.same(lines, [], `${name}, ${size}, ${colorScheme}: axe-core finds no violation`)
      }
    }
  }
  t.same(pageErrors, [])
  await context.close()
})
