import Router from '@koa/router'
import type { Context, Middleware, Next } from 'koa'
import type { Provider } from 'oidc-provider-impersonation'
import { runOnce } from 'oidc-provider-impersonation/siblings'
import type { ComponentChild, ComponentType } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { type BrandSettings, imageSources } from '../brand.ts'
import {
  answerProblem,
  NoRoleProblem,
  notFound,
  onlyMethods,
  Problem,
  problemOf,
} from '../http/problem.ts'
import { type At, shortCount } from '../kit/at.ts'
import { Document } from '../kit/document.tsx'
import { Door, handOverDoor, lateForm, signInDoor, turnedAway } from '../kit/door.tsx'
import { Page } from '../kit/frame.tsx'
import { Link } from '../kit/link.tsx'
import { type Assets, showAsset } from '../page/assets.ts'
import { codeFlow, isPathBelow } from '../sign-in/code-flow.ts'
import { cookiePlace, readCookie, writeCookie } from '../sign-in/cookie.ts'
import { assertSameOrigin } from '../sign-in/origin.ts'
import { knownClient, type PageClient } from '../sign-in/set-up.ts'
import { signOut } from '../sign-in/sign-out.ts'
import { type Entered, signedInTo } from '../sign-in/signed-in.ts'
import type { Languages } from '../words/languages.ts'
import type { Words } from '../words/words.ts'
import { type FormValues, readFormBody, readJson } from './form-body.ts'
import { problemText, wrongField } from './problem-text.ts'
import { languageOf, readerOf } from './reader.ts'
import { keepSaid, takeSaid } from './said.ts'
import type { Answered, AnyCall, Opening, PageView, Route, View } from './table.ts'

/** A sign-in is renewed this long before its end, or at two thirds of its life if it is short. */
const RENEWAL_SECONDS = 60

/** One of the two sets of pages: of the console, or of the customer's account. */
export interface Site<C extends AnyCall, A extends At>
  extends Pick<PageClient, 'at' | 'clientId' | 'make'> {
  readonly provider: Provider
  /** The public origin. */
  readonly url: string
  /** The path of the first page: `/console`. */
  readonly base: string
  /** The realm of `WWW-Authenticate`, also for the log. */
  readonly realm: string
  readonly isForStaff: boolean
  readonly languages: Languages
  readonly brand: BrandSettings | undefined
  readonly assets: () => Promise<Assets>
  readonly now: () => number
  /** Seconds after which a page looks again. Without it, a page follows the stream. */
  readonly looksEvery?: number
  /** The origins of the applications, to which a form may lead. */
  readonly leadsTo: readonly string[]
  readonly doorOf: (words: Words) => { readonly product: string; readonly about: string }
  readonly table: readonly Route<C, A>[]
  /** Makes the call of a person. @throws Problem 403 for a person who may not use the route */
  readonly enter: (request: Request<C, A>) => Promise<C>
  /** Finds what the frame around a page needs. */
  readonly readerFor: (call: C, at: At) => Promise<A>
  readonly Frame: ComponentType<{ path: string; children: ComponentChild }>
  /** Comes before a person signs out. */
  readonly beforeSignOut?: (person: Entered, ctx: Context) => Promise<void>
}

/** A request that has a route, and a person. */
export interface Request<C extends AnyCall, A extends At> extends Found<C, A> {
  readonly ctx: Context
  readonly person: Entered
  readonly input: () => Promise<unknown>
  /** The person's, a BCP 47 tag. */
  readonly language: string
  /** A parameter of the path. */
  readonly param: (name: string) => string
  /** Finds the person again: the sign-in may be over, or the role gone. */
  readonly findAgain: () => Promise<Entered>
}

interface Found<C extends AnyCall, A extends At> {
  readonly route: Route<C, A>
  readonly params: Readonly<Record<string, string>>
}

export interface ServedPages {
  /** Answers below the base, and passes other requests on. */
  readonly middleware: Middleware
  /** @throws Problem 500 if the provider does not know the client, 503 if that cannot be known now */
  readonly assertClient: () => Promise<void>
}

/** Serves the pages of a site, its actions and its sign-in. */
export function servePages<C extends AnyCall, A extends At>(site: Site<C, A>): ServedPages {
  const { provider, clientId, url, base, isForStaff, realm } = site
  const cookie = cookiePlace(clientId, url)
  const redirectUri = `${url}${base}/callback`
  const assertClient = knownClient(provider, { ...site, redirectUri })
  const flow = codeFlow(provider, { clientId, callbackUrl: redirectUri, cookie })
  const findPerson = signedInTo(provider, clientId)
  const router = new Router({ sensitive: true, strict: true })
  const headers = headersOf(site)

  router.get(`${base}/callback`, problems, async (ctx) => {
    const { to, trouble } = await flow.finish(ctx)
    if (trouble === undefined) return redirect(ctx, base + to)
    redirect(ctx, `${base}/sign-in?${new URLSearchParams({ why: trouble, to })}`)
  })
  router.get(`${base}/assets/:name`, async (ctx) => {
    await showAsset(ctx, await site.assets(), ctx.params.name ?? '')
  })
  router.get(`${base}/sign-in`, problems, showDoor)
  router.get(`${base}/enter`, problems, (ctx) => {
    const { to, prompt } = ctx.query
    return flow.begin(ctx, isPathBelow(to) ? to : '', prompt === 'login' ? prompt : undefined)
  })
  router.post(`${base}/sign-out`, problems, async (ctx) => {
    assertSameOrigin(ctx, url)
    const token = readCookie(ctx, cookie.name) ?? ''
    const person = await orNobody(() => findPerson(ctx, token))
    // A person who cannot end what runs stays signed in, and can try again.
    if (person) await site.beforeSignOut?.(person, ctx)
    writeCookie(ctx, cookie, '', 0)
    if (!person) return redirect(ctx, base)
    await signOut(ctx, provider, person, { clientId, returnTo: url + base })
  })
  for (const [path, routes] of Map.groupBy(site.table, (route) => route.path)) {
    const methods = routes.flatMap(({ method, marks }) =>
      method === 'GET' && !marks.streams ? ['GET', 'HEAD'] : [method],
    )
    const allowed = onlyMethods(...methods)
    router.all(patternOf(path), problems, allowed, async (ctx) => {
      const route = routes.find(({ method }) => method === ctx.method.replace('HEAD', 'GET'))
      if (route) await answer(ctx, { route, params: ctx.params })
    })
  }
  router.all(`${base}/{*rest}`, problems, () => {
    throw notFound('there is nothing here')
  })
  // The router itself adds the context members that its type requires.
  return { middleware: router.routes() as Middleware, assertClient }

  /** The pattern of a path. The first page is also found with a slash. */
  function patternOf(path: string): string {
    return base + (path || '{/}')
  }

  /** Finds the page at an address below the base. */
  function findPage(path: string): Found<C, A> | undefined {
    const layer = router.match(base + path, 'GET').pathAndMethod[0]
    const route = site.table.find(
      ({ method, path, marks }) =>
        method === 'GET' && !marks.isFile && patternOf(path) === layer?.path,
    )
    return (
      layer && route && { route, params: layer.params(base + path, layer.captures(base + path)) }
    )
  }

  async function answer(ctx: Context, found: Found<C, A>): Promise<void> {
    const { route } = found
    const param = (name: string) => found.params[name] ?? ''
    const asked = { ...found, ctx, language: languageOf(ctx, site.languages), param }
    if (ctx.get('Authorization') !== '') {
      const findAgain = () => findPerson(ctx)
      const person = await findAgain()
      const input = () => readJson(ctx)
      const call = await site.enter({ ...asked, person, input, findAgain })
      return showModel(ctx, (await route.answer(call)).model)
    }
    const isPost = route.method === 'POST'
    const token = readCookie(ctx, cookie.name)
    if (token === undefined && !isBrowser(ctx)) await findPerson(ctx)
    if (isPost) assertSameOrigin(ctx, url)
    const values = isPost ? await readFormBody(ctx) : {}
    const findAgain = () => findPerson(ctx, token ?? '')
    const person = token === undefined ? undefined : await orNobody(findAgain)
    if (!person) {
      if (isPost) return showLateForm(ctx, values)
      // A stream or a script that asks is told so, and goes nowhere.
      if (!canLeave(ctx, site)) await findAgain()
      return flow.begin(ctx, hereOf(ctx, base), route.path === '' ? 'none' : undefined)
    }
    if (!isPost && canLeave(ctx, site) && isRenewalDue(person))
      return flow.begin(ctx, hereOf(ctx, base), 'none')
    const { from: _from, form: _form, reader: _reader, once: _once, ...fields } = values
    const given = Object.entries(fields).filter(([, value]) => value !== '')
    const input = async () => Object.fromEntries(given)
    const request = { ...asked, person, findAgain, input }
    if (isPost) await carryOut(request, values)
    else await showPage(request)
  }

  async function showPage(
    request: Request<C, A>,
    refused?: At['refused'],
    here = hereOf(request.ctx, base),
  ): Promise<void> {
    const { ctx, person, route } = request
    const call = await site.enter(request)
    const show = async (page: (at: A) => PageView) => {
      const plain = readerOf(ctx, site, person.id, here)
      const said = takeSaid(ctx, cookie, plain)
      const at = await site.readerFor(call, { ...plain, refused, said })
      const shown = page(at)
      const body = (
        <site.Frame path={route.path}>
          <Page of={shown} />
        </site.Frame>
      )
      const isGone = refused && !renderToString(body, at).includes(` id="${refused.form}"`)
      const lost = isGone ? { lost: refused.problem } : {}
      await send(ctx, { ...at, ...lost }, shown.title, body, person)
    }
    try {
      const { page } = await route.answer(call)
      if (page) await show(page)
    } catch (error) {
      const problem = problemOf(error, isForStaff)
      if (problem.statusCode >= 500 || !isBrowser(ctx)) throw problem
      answerProblem(ctx, realm, problem)
      await show((at) => problemView(problem, at))
    }
  }

  /** Does what a form says. If it is refused, the page comes back with the form as it was. */
  async function carryOut(request: Request<C, A>, values: FormValues): Promise<void> {
    const { ctx, route, person } = request
    const { from = '', reader, once } = values
    if (reader !== person.id) throw new Problem(409, 'other_person', 'another person signed in')
    try {
      const call = await site.enter(request)
      let done: Answered<A> = {}
      const work = async () => {
        done = await route.answer(call)
      }
      if (once === undefined) await work()
      else if (!(await runOnce(provider, JSON.stringify([person.id, ctx.path, once]), work))) {
        throw new Problem(409, 'done_already', 'this form was sent already')
      }
      const { to = from, said, opens } = done.after ?? {}
      if (said) keepSaid(ctx, cookie, said)
      if (opens) await open(ctx, opens, person)
      else redirect(ctx, base + (isPathBelow(to) ? to : ''))
    } catch (error) {
      const problem = problemOf(error, isForStaff)
      const { pathname, search } = new URL(isPathBelow(from) ? from || '/' : '/', 'http://page')
      const found = findPage(pathname === '/' ? '' : pathname)
      if (!found || problem.statusCode >= 500) throw problem
      ctx.status = problem.statusCode
      const refused = {
        form: values.form ?? ctx.path.slice(base.length),
        values,
        problem: problemText(readerOf(ctx, site, person.id, from), problem),
        field: wrongField(problem, values),
        more: problem.more,
      }
      // The page reads its own query, not that of the action.
      const asked = Object.create(ctx, {
        querystring: { value: search.slice(1) },
        query: { value: Object.fromEntries(new URLSearchParams(search)) },
      })
      await showPage({ ...request, ...found, ctx: asked }, refused, from)
    }
  }

  /** Leads into an application: by a redirect, or by a form that the script sends at once. */
  async function open(ctx: Context, opening: Opening, person: Entered): Promise<void> {
    if (opening.field) {
      const at = readerOf(ctx, site)
      ctx.status = 200
      return sendDoor(ctx, at, handOverDoor(opening, at), person)
    }
    redirect(ctx, base)
    ctx.set('Location', opening.url)
    // The body that Koa makes of a redirect repeats the address.
    ctx.body = ''
  }

  async function showDoor(ctx: Context): Promise<void> {
    const at = readerOf(ctx, site)
    const { why, to } = ctx.query
    const troubles = new Map(Object.entries(at.words.web.signInTroubles))
    const door = {
      ...site.doorOf(at.words),
      trouble: troubles.get(String(why)),
      to: isPathBelow(to) ? to : '',
    }
    await sendDoor(ctx, at, signInDoor(door, at))
  }

  async function showLateForm(ctx: Context, values: FormValues): Promise<void> {
    const at = readerOf(ctx, site)
    ctx.status = 401
    await sendDoor(ctx, at, lateForm(ctx.path.slice(base.length), values, at))
  }

  /** Answers problems: as JSON, or to a browser as a page. */
  async function problems(ctx: Context, next: Next): Promise<void> {
    ctx.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    try {
      await assertClient()
      await next()
    } catch (error) {
      const problem = problemOf(error, isForStaff)
      answerProblem(ctx, realm, problem)
      if (!isBrowser(ctx)) return
      const token = problem instanceof NoRoleProblem ? readCookie(ctx, cookie.name) : undefined
      const person = token === undefined ? undefined : await orNobody(() => findPerson(ctx, token))
      const at = readerOf(ctx, site, person?.id)
      await sendDoor(ctx, at, person ? turnedAway(person.id, at) : problemView(problem, at))
    }
  }

  function sendDoor(ctx: Context, at: At, door: PageView, person?: Entered): Promise<void> {
    return send(ctx, at, door.title, <Door of={door} />, person)
  }

  /** Sends a page. Without another status it is a 200. */
  async function send(
    ctx: Context,
    at: At,
    title: string,
    body: ComponentChild,
    person?: Entered,
  ): Promise<void> {
    const { names } = await site.assets()
    const assetUrl = (name: string) => `${base}/assets/${names.get(name)}`
    ctx.set(headers)
    ctx.vary('Accept-Language, Accept, Cookie')
    const name = at.waits ? `(${shortCount(at.waits)}) ${title}` : title
    const page = (
      <Document
        title={site.brand ? `${name} · ${site.brand.name}` : name}
        styles={['style.css', 'brand.css'].filter((name) => names.has(name)).map(assetUrl)}
        icon={assetUrl('icon.svg')}
        {...(person && {
          script: assetUrl('page.js'),
          data: {
            'data-base': base,
            // A form that was refused comes back at the address of the action, which cannot be fetched.
            'data-here': ctx.method === 'POST' ? base + at.here : undefined,
            'data-now': at.now,
            'data-until': person.token.exp,
            'data-every': site.looksEvery,
          },
        })}
      >
        {body}
      </Document>
    )
    ctx.type = 'html'
    ctx.body = `<!doctype html>${renderToString(page, at)}`
  }
}

/** Checks whether the request is a browser's. A bearer token wins over the cookie. */
function isBrowser(ctx: Context): boolean {
  return ctx.get('Authorization') === '' && ctx.accepts('json', 'html') === 'html'
}

/** Checks whether the provider can be asked by a redirect. A script cannot follow it to another origin. */
function canLeave(ctx: Context, { provider, url }: { provider: Provider; url: string }): boolean {
  const isScript = !['', 'navigate'].includes(ctx.get('Sec-Fetch-Mode'))
  return isBrowser(ctx) && !(isScript && new URL(provider.issuer).origin !== url)
}

async function orNobody(find: () => Promise<Entered>): Promise<Entered | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Problem && error.statusCode === 401) return undefined
    throw error
  }
}

function isRenewalDue({ token: { exp, iat = 0 } }: Entered): boolean {
  if (exp === undefined) return false
  return exp - Date.now() / 1000 <= Math.min(RENEWAL_SECONDS, (exp - iat) / 3)
}

function showModel(ctx: Context, model: object | undefined): void {
  if (model !== undefined) ctx.body = model
  else if (ctx.body === undefined && ctx.status === 404) ctx.status = 204
}

function redirect(ctx: Context, to: string): void {
  ctx.status = 303
  ctx.redirect(to)
}

function hereOf({ path, search }: Context, base: string): string {
  return path.slice(base.length) + search
}

/** Says why there is nothing to show. */
const problemView: View<Problem, At> = (problem, at) => {
  const { web } = at.words
  const isNoPage = problem.error === 'not_found'
  return {
    title: isNoPage ? web.notFoundTitle : web.problems.title,
    about: isNoPage ? web.notFound : problemText(at, problem),
    body: <Link to="">{web.toStart}</Link>,
  }
}

/** The headers of every page. */
function headersOf({
  brand,
  leadsTo,
  provider,
}: Pick<Site<AnyCall, At>, 'brand' | 'leadsTo' | 'provider'>): Record<string, string> {
  const formsLeadTo = new Set([new URL(provider.issuer).origin, ...leadsTo])
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "script-src 'self'",
      "connect-src 'self'",
      `img-src ${imageSources(brand)}`,
      `form-action 'self' ${[...formsLeadTo].join(' ')}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types pages',
    ].join(';'),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    // `no-referrer` would send `Origin: null` with a form.
    'Referrer-Policy': 'strict-origin',
    'X-Frame-Options': 'DENY',
  }
}
