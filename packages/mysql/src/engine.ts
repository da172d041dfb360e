import { resolveOptions, type MysqlOptions, type MysqlSettings } from './options.js'
export const mysql = (options: MysqlOptions): MysqlSettings => resolveOptions(options)
