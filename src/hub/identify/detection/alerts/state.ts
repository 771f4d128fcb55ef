// SQL of the state that an alert `a` has at `@now`: what people set, unless active rules keep it quiet.

export const isQuietSql = 'a.quiet IS NOT NULL AND (a.quiet_until IS NULL OR a.quiet_until > @now)';
export const alertStateSql = `iif(${isQuietSql}, a.quiet, a.state)`;
