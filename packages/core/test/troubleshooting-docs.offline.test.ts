import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as core from '../src/index.js'

const page = readFileSync(join(__dirname, '../../../docs/production/troubleshooting.md'), 'utf8')

const codes = Object.values(core)
  .filter((value) => value === core.HoldfastError || Object.getPrototypeOf(value) === core.HoldfastError)
  .map((errorClass) => ('code' in errorClass ? errorClass.code : ''))

it.each([...new Set(codes)])('docs/production/troubleshooting.md explains %s', (code) =>
  expect(page).toContain(`\n### ${code}\n`),
)
