package evals

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// The lamp that the fixture site sells. Its price stands on its own page alone.
const (
	lampName  = "Heron desk lamp"
	lampCents = 84_90
)

// site is a small shop on loopback. Its export is out of order.
type site struct {
	url    string
	server *http.Server
	done   chan struct{}
}

func openSite() (*site, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the fixture site: %w", err)
	}
	s := &site{
		url: "http://" + l.Addr().String(), done: make(chan struct{}),
		server: &http.Server{Handler: shop(), ReadHeaderTimeout: 10 * time.Second},
	}
	go func() {
		defer close(s.done)
		_ = s.server.Serve(l) // whoever asks it then gets no answer and says so
	}()
	return s, nil
}

func (s *site) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close() // what still asks is hung up on
	}
	<-s.done
}

func shop() http.Handler {
	pages := http.NewServeMux()
	page := func(path, title, body string) {
		pages.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, "<!doctype html><html><head><title>%s</title></head><body><h1>%s</h1>\n%s\n</body></html>\n", title, title, body)
		})
	}
	page("/{$}", "Lamps", `<p>We make lamps.</p><ul><li><a href="/products">All lamps</a></li><li><a href="/about">About us</a></li></ul>`)
	page("/about", "About us", "<p>A small workshop.</p>")
	page("/products", "All lamps", `<ul><li><a href="/products/wren-reading-lamp">Wren reading lamp</a></li><li><a href="/products/heron-desk-lamp">Heron desk lamp</a></li></ul>`)
	page("/products/wren-reading-lamp", "Wren reading lamp", "<p>Price: 59.00 EUR</p>")
	page("/products/heron-desk-lamp", lampName, "<p>Price: 84.90 EUR. In stock.</p>")
	pages.HandleFunc("GET /export/products.csv", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "The export is being rebuilt. The pages of the shop are not affected.", http.StatusServiceUnavailable)
	})
	return pages
}
