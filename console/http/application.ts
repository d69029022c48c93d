import type { Context } from 'koa'
import { ASSETS } from './assets.ts'
import { type Html, html, show } from './page.ts'

/**
 * The policy of an application page: scripts and requests of this origin only, and no foreign HTML.
 */
const APPLICATION_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';')

/** A page with a browser module. The module keeps tokens in its memory. */
export interface Application {
  readonly title: string
  /** The name of the module below `browser/`. */
  readonly module: string
  /** An element above all others. */
  readonly banner?: Html
  /** List items in the head of the page, for a signed-in person. */
  readonly links: Html
  /** The views, one of which is visible at a time. */
  readonly views: Html
}

/** Answers with the page of an application. */
export function showApplication(ctx: Context, application: Application): void {
  const { title, module } = application
  ctx.set('Content-Security-Policy', APPLICATION_POLICY)
  const head = html`<script type="module" src="${ASSETS}/browser/${module}"></script>`
  show(ctx, title, bodyOf(application), head)
}

function bodyOf({ title, banner, links, views }: Application): Html {
  return html`<a class="skip" href="#content">Skip to the content</a>
${banner}
<header class="container">
<nav aria-label="${title}">
<ul><li><strong>${title}</strong></li></ul>
<ul id="links" class="links" data-slot="links" hidden>
${links}
<li><button type="button" id="sign-out" class="secondary outline small">Sign out</button></li>
</ul>
</nav>
</header>
<main class="container page" id="content" tabindex="-1">
<noscript><p role="alert">This page runs in your browser, so that tokens stay in its memory: it needs JavaScript.</p></noscript>
<div id="message" role="alert"></div>
<template id="message-text"><article class="message"><p data-slot="text"></p><p class="actions" data-slot="actions"></p></article></template>
<template id="message-action"><button type="button" class="small"></button></template>
<section id="view-waiting" data-view>
<h1 tabindex="-1">${title}</h1>
<p aria-busy="true">One moment…</p>
</section>
${views}
</main>`
}
