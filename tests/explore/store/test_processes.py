"""Stores that several processes have open at once."""

import multiprocessing
import os

from explore.store import Store

FORK = multiprocessing.get_context("fork")


def in_processes(function, arguments):
    """Call a function in processes at once, and assert that all end well."""
    processes = [FORK.Process(target=function, args=each) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * len(processes)


def _write_often(path, times):
    for index in range(times):
        with Store(path) as store:
            store.remember_rows({f"{os.getpid()} {index}": {"x": 3}})


def test_any_number_of_processes_open_it_at_once(tmp_path):
    in_processes(_write_often, [(tmp_path / "new", 20)] * 4)
    with Store(tmp_path / "new") as store:
        assert len(store.rows()) == 80


def test_reading_while_others_open_write_and_close(store):
    store.remember_rows({"a": {"x": 1}})
    store.close()
    writers = [FORK.Process(target=_write_often, args=(store.path, 60)) for _ in range(2)]
    for writer in writers:
        writer.start()
    counts = [1]
    while any(writer.is_alive() for writer in writers):
        with Store(store.path).open(create=False, writable=False) as reader:
            counts += [len(reader.rows()), len(reader.rows())]
    assert counts == sorted(counts)
    with Store(store.path).open(create=False, writable=False) as reader:
        assert len(reader.rows()) == 121


def _count(path, key, file):
    with Store(path) as store:
        for _ in range(150):
            while (lock := store.lock(key)) is None:
                pass
            number = int(file.read_text())
            file.write_text(f"{number + 1:9}")
            lock.release()


def test_locks_of_many_processes(store, tmp_path):
    file = tmp_path / "count"
    file.write_text("0")
    in_processes(_count, [(store.path, "abc", file)] * 4)
    assert int(file.read_text()) == 600
    assert not list((store.path / "locks").iterdir())


def test_lock_of_a_killed_process_is_free(store):
    def hold(path):
        opened = Store(path).open()
        opened.lock("abc")
        os.kill(os.getpid(), 9)

    process = FORK.Process(target=hold, args=(store.path,))
    process.start()
    process.join()
    assert (store.path / "locks" / "abc").exists()
    store.lock("abc").release()
