-- Connections whose destination is not kept: how many began in an hour, and who saw them. Instants are epoch milliseconds.
CREATE TABLE unkept_hour (
  hour INTEGER NOT NULL,
  -- Id of the device as it is shown, or the address while no device is known by it.
  holder TEXT NOT NULL,
  observer INTEGER NOT NULL REFERENCES observer (id),
  connections INTEGER NOT NULL,
  -- Decimal text, as in flow; NULL when nobody counted them.
  bytes_in TEXT,
  bytes_out TEXT,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (hour, holder, observer)
) STRICT, WITHOUT ROWID;
