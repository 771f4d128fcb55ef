// The files next to the database that a generation holds too: notes, and settings without what opens the hub.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { readJson } from '#kernel/files/files.ts';
import type { FileWork } from '#kernel/sqlite/database-copy.ts';

/** Texts of JSON; null: there was no such file. */
export interface GenerationDocuments {
  notes: string | null;
  /** Secrets are sealed by the key of the hub; the hashes of password and admin token are left out. */
  settings: string | null;
}

const noDocuments: GenerationDocuments = { notes: null, settings: null };

/** Throws an Error that names the file when one is not JSON. */
export function readDocuments(files: { notesFile: string; documentFile: string }): GenerationDocuments {
  const settings = z.record(z.string(), z.unknown()).optional().parse(readJson(files.documentFile));
  return {
    notes: readJson(files.notesFile) === undefined ? null : readFileSync(files.notesFile, 'utf8'),
    settings:
      settings === undefined ? null : JSON.stringify({ ...settings, adminTokenHash: null, passwordRecord: null }),
  };
}

/** Stores documents in a copy. The schema of an earlier version has no table for them. */
export function writeDocuments(writer: FileWork, documents: GenerationDocuments): void {
  if (
    writer.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name = 'generation_document'").get() ===
    undefined
  ) {
    return;
  }
  const insert = writer.prepare('INSERT OR REPLACE INTO generation_document (name, content) VALUES (?, ?)');
  for (const [name, content] of Object.entries(documents)) {
    if (content !== null) {
      insert.run(name, content);
    }
  }
}

/** Takes the documents out of a copy that becomes a database again. */
export function takeDocuments(writer: FileWork): GenerationDocuments {
  const rows = writer.prepare('SELECT name, content FROM generation_document').all() as {
    name: keyof GenerationDocuments;
    content: string;
  }[];
  writer.exec('DELETE FROM generation_document');
  return { ...noDocuments, ...Object.fromEntries(rows.map(({ name, content }) => [name, content])) };
}
