import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { build } from 'esbuild'
import { NARROW, WIDE } from '../../../packages/console/test/e2e/support/visit.ts'
import { type Example, listen } from '../../example-provider/support.ts'
import { shared } from '../../support/shared.ts'
import { inEachBrowser } from './support/browsers.ts'
import { type Look, sitDown, until } from './support/person.ts'

const ROOT = join(import.meta.dirname, '../../..')
const INSTALLED = join(import.meta.dirname, 'headers/node_modules')
const BOOTSTRAP = '<link rel="stylesheet" href="/bootstrap/css/bootstrap.css">'

const DOCUMENT = await readFile(join(ROOT, 'docs/browser.md'), 'utf8')
/** The line of the document that moves a header down. */
const [MOVED_DOWN] = /(?<=^\/\* header\.css \*\/\n).*/m.exec(DOCUMENT) ?? []

interface Layered {
  readonly html: string
  /** Shows the layer, and waits for it. */
  readonly open?: string
  /** Closes a modal one. Until then, the banner is seen and cannot be pressed. */
  readonly close?: string
  /** The part of the page that the line in the document moves below the banner. */
  readonly header?: string
}

const LAYERS: Readonly<Record<string, Layered>> = {
  'Bootstrap, .fixed-top': {
    html: `${BOOTSTRAP}<nav class="navbar fixed-top bg-primary"><a class="navbar-brand" href="/">Shop</a></nav>`,
    header: 'nav',
  },
  'Bootstrap, .sticky-top': {
    html: `${BOOTSTRAP}<nav class="navbar sticky-top bg-primary"><a class="navbar-brand" href="/">Shop</a></nav>`,
    header: 'nav',
  },
  'an AppBar of MUI': {
    html: '<div id="mui"></div><script type="module" src="/mui.js"></script>',
    header: '.MuiAppBar-root',
  },
  'an application in a fixed layer that scrolls': {
    html: '<div style="position: fixed; inset: 0; overflow: auto; z-index: 1200; background: #ddf"><h1>Shop</h1></div>',
  },
  "Bootstrap's modal": {
    html: `${BOOTSTRAP}<script src="/bootstrap/js/bootstrap.bundle.js"></script>
      <div id="layer" class="modal" tabindex="-1"><div class="modal-dialog modal-fullscreen">
        <div class="modal-content"><button>Delete the order</button></div></div></div>`,
    open: `new Promise((shown) => {
      layer.addEventListener('shown.bs.modal', shown)
      new bootstrap.Modal(layer).show()
    })`,
  },
  "MUI's dialog": {
    html: '<div id="mui"></div><script type="module" src="/mui.js"></script>',
    open: 'openDialog(), new Promise((shown) => setTimeout(shown, 500))',
  },
  'a popover that fills the window': {
    html: '<div id="layer" popover style="inline-size: 100vw; block-size: 100vh">Orders</div>',
    open: 'layer.showPopover()',
  },
  'a popover in a shadow tree': {
    html: `<div id="host"><template shadowrootmode="open">
      <div popover="manual" style="inline-size: 100vw; block-size: 100vh">Orders</div></template></div>`,
    open: 'host.shadowRoot.querySelector("div").showPopover()',
  },
  'a modal dialog': {
    html: '<dialog id="layer" style="inline-size: 100vw; block-size: 100vh; max-inline-size: none; max-block-size: none"><button>Delete</button></dialog>',
    open: 'layer.showModal()',
    close: 'layer.close()',
  },
  'a modal dialog in a shadow tree': {
    html: `<div id="host"><template shadowrootmode="open">
      <dialog style="inline-size: 100vw; block-size: 100vh; max-inline-size: none; max-block-size: none"><button>Delete</button></dialog></template></div>`,
    open: 'host.shadowRoot.querySelector("dialog").showModal()',
    close: 'host.shadowRoot.querySelector("dialog").close()',
  },
}

inEachBrowser('the banner above the layers of a page', (browser) => {
  const server = shared(startServer)

  async function open(layer: string): Promise<Look & AsyncDisposable> {
    const person = await sitDown(browser)
    await person.tab.goto(`${server.url}/?layer=${encodeURIComponent(layer)}`)
    await until('lab', () =>
      person.tab.evaluate("'lab' in window && document.readyState === 'complete'"),
    )
    return person
  }

  async function show({ tab }: Look): Promise<void> {
    await tab.evaluate(`lab.define().then(() => {
      const names = { actorName: 'Olivia Okafor', userName: 'Alice Ng', changes: true }
      globalThis.banner = lab.show(lab.session(), names)
      globalThis.part = (name) => banner.shadowRoot.querySelector('[part=' + name + ']')
    })`)
  }

  for (const [name, { html: _, open: enter, close, header }] of Object.entries(LAYERS)) {
    for (const [size, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
      it(`is read and pressed: ${name}, ${size}`, async () => {
        await using person = await open(name)
        const { tab } = person
        await tab.setSize(viewport)
        await show(person)
        await isAbove(person)
        let before = await tab.screenshot()
        // WebKit gives a window its size some time after it was told.
        await until('window at rest', async () => {
          const earlier = before
          before = await tab.screenshot()
          return (await differing(person, earlier)) < 0.01
        })
        if (enter) {
          await tab.evaluate(enter)
          if (close) {
            await until('"who" in sight', async () => (await differing(person, before)) < 0.01)
            await keep(person, `${name}, open`, size)
            await tab.evaluate(close)
          }
        }
        await isAbove(person)
        await keep(person, name, size)
        await tab.evaluate('scrollTo(0, 500)')
        await isAbove(person)
        if (header) {
          // Bootstrap scrolls smoothly.
          await until('header under the banner', () =>
            tab.evaluate(`document.querySelector('${header}').getBoundingClientRect().top < 20`),
          )
          await tab.evaluate(
            `document.body.append(Object.assign(document.createElement('style'), { textContent: ${JSON.stringify(MOVED_DOWN)} }))`,
          )
          await until('a header below', () =>
            tab.evaluate(`
            document.querySelector('${header}').getBoundingClientRect().top >= part('end').parentNode.getBoundingClientRect().bottom - 1`),
          )
          await keep(person, `${name}, moved down`, size)
        }
        await person.press('End')
        expect(await tab.evaluate('lab.current.ends')).to.equal(1)
      })
    }
  }

  it('keeps the focus, and is shown again five times a second at most', async () => {
    await using person = await open('a popover that fills the window')
    const { tab } = person
    await show(person)
    const heard = (await tab.evaluate(`(async () => {
      const heard = []
      const end = part('end')
      end.focus()
      for (const type of ['focus', 'blur']) addEventListener(type, () => heard.push(type), true)
      let shown = 0
      const { showPopover } = HTMLElement.prototype
      end.parentNode.showPopover = function () { shown += 1; showPopover.call(this) }
      for (let round = 0; round < 20; round += 1) {
        layer.togglePopover()
        await new Promise((done) => setTimeout(done, 50))
      }
      await new Promise((done) => setTimeout(done, 300))
      return { heard, shown, isFocused: banner.shadowRoot.activeElement === end, isOpen: layer.matches(':popover-open') }
    })()`)) as { heard: string[]; shown: number; isFocused: boolean; isOpen: boolean }
    expect(heard.shown).to.be.within(2, 8)
    expect(heard).to.deep.include({ heard: [], isFocused: true, isOpen: false })
  })

  it('leaves before the cover, whose button works above a modal dialog that opens later', async () => {
    for (const layer of ['a modal dialog', 'a modal dialog in a shadow tree']) {
      await using person = await open(layer)
      const { tab } = person
      await show(person)
      await tab.evaluate(`import('/packages/browser/src/cover.ts').then(({ coverPage }) =>
        coverPage({ state: 'ended', userName: 'Alice', drafts: 'typed', texts: {} }))`)
      expect(await tab.evaluate("part('who').checkVisibility()")).to.equal(false)
      await tab.evaluate(LAYERS[layer]?.open ?? '')
      await until('a button that works', async () => {
        const at = await tab.evaluate<{ x: number; y: number }>(`(() => {
          globalThis.copy = document.querySelector('[data-impersonation-cover]').shadowRoot.querySelector('button')
          const { x, y, width, height } = copy.getBoundingClientRect()
          copy.addEventListener('click', () => { globalThis.isCopied = true })
          return { x: x + width / 2, y: y + height / 2 }
        })()`)
        await tab.click(at.x, at.y)
        return tab.evaluate('globalThis.isCopied === true')
      })
      await keep(person, `cover, ${layer}`, 'wide')
    }
  })
})

async function isAbove({ tab }: Look): Promise<void> {
  await until('banner on top', () =>
    tab.evaluate(`['who', 'end'].every((name) => {
      const { x, y, width, height } = part(name).getBoundingClientRect()
      return document.elementFromPoint(x + width / 2, y + height / 2) === banner
    })`),
  )
}

/** The part of *who* that looks other than in an earlier picture, from 0 to 1. */
async function differing({ tab }: Look, before: string): Promise<number> {
  const now = await tab.screenshot()
  return tab.evaluate(`(async () => {
    const { x, y, width, height } = part('who').getBoundingClientRect()
    const [one, other] = await Promise.all(${JSON.stringify([before, now])}.map(async (data) => {
      const image = new Image()
      image.src = 'data:image/png;base64,' + data
      await image.decode()
      const context = new OffscreenCanvas(width, height).getContext('2d')
      context.drawImage(image, -x, -y)
      return context.getImageData(0, 0, width, height).data
    }))
    return one.filter((value, index) => Math.abs(value - other[index]) > 8).length / one.length
  })()`)
}

/** For the eye: `PICTURES=<folder>` keeps a picture of each. */
async function keep({ tab }: Look, name: string, size: string): Promise<void> {
  const folder = process.env.PICTURES
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}-${size}.png`), await tab.screenshot(), 'base64')
}

async function startServer(): Promise<Example> {
  const { outputFiles } = await build({
    entryPoints: [join(INSTALLED, '../page.jsx')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  return listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const type = pathname.endsWith('.css') ? 'text/css' : 'text/javascript'
    if (pathname === '/') {
      response.setHeader('content-type', 'text/html')
      response.end(pageOf(LAYERS[searchParams.get('layer') ?? '']?.html ?? ''))
    } else if (pathname === '/mui.js') {
      response.setHeader('content-type', type).end(outputFiles[0]?.text)
    } else if (pathname.startsWith('/bootstrap/')) {
      const file = join(INSTALLED, 'bootstrap/dist', pathname.slice('/bootstrap'.length))
      response.setHeader('content-type', type).end(await readFile(file))
    } else if (/^\/packages\/browser\/(?:src|test)\/[\w/-]+\.ts$/.test(pathname)) {
      const text = stripTypeScriptTypes(await readFile(join(ROOT, pathname), 'utf8'))
      response.setHeader('content-type', type).end(text)
    } else {
      response.writeHead(404).end()
    }
  })
}

function pageOf(layer: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Shop</title>
<link rel="icon" href="data:,">
<script type="module" src="/packages/browser/test/support/lab.ts"></script>
</head>
<body>${layer}<main><p>${'Two kilograms of beans. '.repeat(1500)}</p></main></body>
</html>`
}
