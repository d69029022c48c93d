#!/usr/bin/env node
import { main } from './cli.ts'

const isColored = process.stdout.isTTY === true && !process.env.NO_COLOR
process.exitCode = await main(process.argv.slice(2), { ...console, isColored })
